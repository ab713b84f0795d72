import type { AnchorRecord } from '#protocol/ledger/anchors'
import { anchorCosignedSchema } from '#protocol/ledger/cosigned/anchor-cosigned'
import { cosignedAt } from '#protocol/ledger/cosigned/seen-by'
import { checkedPolicy, type WitnessPolicy, withoutWitnesses } from '../keys/witness-policy.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import type { CosignedAnchor } from './anchor-options.ts'

export interface CosignedSource {
  readonly transport: Transport
  readonly url: string
  readonly witnesses: WitnessPolicy | undefined
}

/** Fetches the cosignatures of an anchor and verifies them, with the audit paths that tie them to its record. */
export async function readCosigned(
  { transport, url, witnesses }: CosignedSource,
  read: () => Promise<AnchorRecord>,
): Promise<CosignedAnchor> {
  if (!witnesses) throw withoutWitnesses()
  const policy = checkedPolicy(witnesses)
  const [record, answer] = await Promise.all([read(), transport.json({ method: 'GET', url }, anchorCosignedSchema)])
  const seen = await cosignedAt(record, answer, policy, transport.realms)
  if (seen.ok) return { ...answer, seen: seen.value }
  const reason = seen.error.reason === 'different_anchor' ? 'different_answer' : seen.error.reason
  const { log, index } = answer.position
  throw unverified('anchor', reason, `What was cosigned does not verify: ${reason}`, {
    where: reason === 'different_answer' ? {} : { log, position: index },
    evidence: answer,
  })
}
