import type { Rehearse } from '@svc/objects'
import { RecordFault } from '@svc/objects/records'
import type { Realms } from '@svc/protocol/base/realm'
import type { IdentityTransaction } from '../transaction.ts'
import { BlocksProof, proveState } from './proof.ts'
import { BLOCKS_AT_ONCE, RebuiltReading } from './state.ts'

/** Rejects with a `RecordFault` if the identity that is rehearsed is not what `did` signed. An alias has nothing signed. */
export async function proveRebuilt(
  transaction: IdentityTransaction,
  { did, realms }: { readonly did: string; readonly realms: Realms },
  rehearse: Rehearse,
): Promise<void> {
  const reading = new RebuiltReading(transaction)
  const { state, isAlias, first } = rehearse(() => ({
    state: reading.state(),
    isAlias: transaction.alias() !== null,
    first: reading.blocks(0),
  }))
  if (!state) {
    if (isAlias) return
    throw new RecordFault('The records have no root key')
  }
  if (state.identity.did !== did) throw new RecordFault('The records are of another identity')
  const proved = await proveState(state, first[0], realms)
  const proof = new BlocksProof(did, proved)
  for (let [from, blocks] = [0, first]; blocks.length > 0; ) {
    for (const row of blocks.slice(0, BLOCKS_AT_ONCE)) await proof.next(row)
    from += BLOCKS_AT_ONCE
    if (blocks.length < BLOCKS_AT_ONCE) return
    blocks = rehearse(() => reading.blocks(from))
  }
}
