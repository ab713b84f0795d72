import { visibleJsonOf } from '@svc/client/text'
import { UsageError } from '@svc/platform/entry'
import { type AnchorStatus, anchorStatusSchema } from '@svc/protocol/ledger/anchors'
import { anchorsWith, reportPublication } from '../publication.ts'
import { type Signing, signingCommand } from '../signing-command.ts'

const USAGE = `Usage: scripts/publish-anchor list [submitted|published|confirmed] [options]
       scripts/publish-anchor published|confirmed ANCHOR CHAIN TX [options]

The first form lists the anchors that have a status, newest first, one JSON object in a line. Without a status it lists
those that are submitted: they wait for a transaction. It needs no key.

The second form reports a ledger transaction of an anchor, signed with the publisher's key. This is the reference for what
a publisher sends to the service; it writes to no ledger itself.`

await signingCommand({
  name: 'scripts/publish-anchor',
  usage: USAGE,
  signer: 'publisher',
  async run(signing) {
    const [what, ...operands] = signing.operands
    if (what === 'list') return list(statusOf(operands), signing)
    if (what === 'published' || what === 'confirmed') return report(what, operands, signing)
    throw new UsageError("The first operand is 'list', 'published' or 'confirmed'")
  },
})

function statusOf([status = 'submitted']: readonly string[]): AnchorStatus {
  const parsed = anchorStatusSchema.safeParse(status)
  if (!parsed.success) throw new UsageError("The status is 'submitted', 'published' or 'confirmed'")
  return parsed.data
}

async function list(status: AnchorStatus, places: Signing): Promise<number> {
  for await (const { anchorId, owner, root, epoch, createdAt, chains } of anchorsWith(status, places)) {
    console.log(visibleJsonOf({ anchorId, owner, root, epoch, createdAt, ...(chains && { chains }) }))
  }
  return 0
}

async function report(
  state: 'published' | 'confirmed',
  [anchorId, chain, tx]: readonly string[],
  { seed, ...places }: Signing,
): Promise<number> {
  if (!anchorId || !chain || !tx) throw new UsageError('ANCHOR, CHAIN and TX are required')
  const record = await reportPublication(places, { anchorId, chain, tx, state }, seed())
  console.log(visibleJsonOf(record, 2))
  return 0
}
