import { anchorLeafOf } from '@svc/protocol/ledger/anchor-log'
import { anchorRecordSchema } from '@svc/protocol/ledger/anchors'
import { dayOf } from '@svc/protocol/ledger/withheld'
import { WITHHELD_GROUNDS } from '@svc/protocol/ledger/withheld-notice'
import type { OperatorAct } from './operator-act.ts'

/** Withholds an anchor, which is read to name its leaf: `ANCHOR GROUND`. Null for anything else. */
export async function withholdAct(
  core: string,
  [anchorId = '', named = '']: readonly string[],
  now: number,
): Promise<OperatorAct | null> {
  const ground = WITHHELD_GROUNDS.find((known) => known === named)
  if (ground === undefined || !/^[A-Za-z0-9_-]{32}$/.test(anchorId)) return null
  const response = await fetch(`${core}/api/anchors/${anchorId}`)
  if (!response.ok) throw new Error(`Core answers ${response.status} for the anchor ${anchorId}`)
  const leaf = anchorLeafOf(anchorRecordSchema.parse(await response.json()))
  return { type: 'svc/withheld/v1', service: 'core', members: { leaf, ground, day: dayOf(now) } }
}
