import { signedCheckpointSchema } from '@svc/protocol/ledger/anchors'
import { MAX_REBUILT_ANCHORS } from '@svc/protocol/operator/acts'
import { type ActTarget, sendOperatorAct } from './operator-act.ts'

/** Rebuilds the index of one log from its first leaf to its newest, and prints the progress. Returns the exit status. */
export async function rebuildAnchors(
  core: ActTarget,
  seed: Uint8Array,
  log: string,
  print: (line: string) => void = console.log,
): Promise<number> {
  const response = await fetch(new URL(`/api/anchors/checkpoint?log=${encodeURIComponent(log)}`, core.service))
  if (!response.ok) {
    console.error(`Core has no checkpoint of ${log}: ${response.status}`)
    return 1
  }
  const { size } = signedCheckpointSchema.parse(await response.json()).statement
  for (let from = 0; from < size; from += MAX_REBUILT_ANCHORS) {
    const members = { log, from, to: Math.min(from + MAX_REBUILT_ANCHORS, size) }
    const act = { type: 'svc/operator-rebuild-anchors/v1', service: 'core', members } as const
    const answer = await sendOperatorAct(core, seed, act)
    const body: unknown = await answer.json()
    print(JSON.stringify({ ...members, answer: body }))
    if (!answer.ok) return 1
  }
  return 0
}
