/** A log over two root keys, and where a verifier detects a fault. */

import { REALMS } from '../../test/realm.fixture.ts'
import type { InceptionHead } from '../base/inception-head.ts'
import { genesisOf, headOf, type Signer, signerOf } from '../chain/chain.fixture.ts'
import type { EpochKey } from '../chain/chain.ts'
import { attestationOf, changeOf, headAfter, officerChangeOf, orgOf, type Root } from './inception.fixture.ts'
import type { InceptionEvent } from './inception.ts'
import { InceptionVerifier } from './verifier.ts'

export const [alice, successor, mallory, phone, laptop, tablet] = (await Promise.all(
  [1, 2, 3, 11, 12, 13].map(signerOf),
)) as [Signer, Signer, Signer, Signer, Signer, Signer]
export const [ann, ben, cat] = (await Promise.all([21, 22, 23].map(signerOf))) as [Signer, Signer, Signer]

export const keyOf = (epoch: number, { scope, ownerPublicKey }: Signer): EpochKey => ({
  epoch,
  userId: scope,
  publicKeyB64u: ownerPublicKey,
})
export const keys = [keyOf(0, alice), keyOf(1, successor)] as const
export const genesisHash = headOf(await genesisOf(alice)).hash
export const first: Root = { genesis: alice, epoch: 0, signer: alice }
export const second: Root = { genesis: alice, epoch: 1, signer: successor }

export type Make = (head: InceptionHead) => Promise<InceptionEvent>
export async function logOf(...makes: Make[]): Promise<InceptionEvent[]> {
  const log: InceptionEvent[] = []
  let head: InceptionHead = { sequence: 0, hash: genesisHash }
  for (const make of makes) {
    const event = await make(head)
    log.push(event)
    head = headAfter(event)
  }
  return log
}

export const log = await logOf(
  (head) => attestationOf(first, head, phone),
  (head) => attestationOf(first, head, laptop),
  (head) => changeOf(first, head, phone, { event: 'suspend' }),
  (head) => changeOf(first, head, phone, { event: 'resume' }),
  (head) => changeOf(first, head, phone, { event: 'capabilities', capabilities: ['account:read'] }),
  (head) => changeOf(first, head, laptop, { event: 'revoke' }),
  (head) => orgOf(first, head, [ann, ben], 2),
  (head) => attestationOf(second, head, phone),
  (head) =>
    officerChangeOf(
      second,
      head,
      { officers: [ben, cat], quorum: 1, version: 2 },
      { approving: [ann, ben], accepting: [cat] },
    ),
  (head) => attestationOf(second, head, tablet),
)
export const heads = [{ sequence: 0, hash: genesisHash }, ...log.map(headAfter)]

/** Where a log is invalid and why; null if it is valid. */
export async function faultOf(
  events: readonly InceptionEvent[],
  verifier = new InceptionVerifier(keys, genesisHash, REALMS),
): Promise<{ at: number; error: object } | null> {
  for (const [at, event] of events.entries()) {
    const next = await verifier.next(event)
    if (!next.ok) return { at, error: next.error }
  }
  return null
}
export const stale = (at: number) => ({ at, error: { reason: 'stale_inception_head', head: heads[at] } })
export const at = (index: number, reason: string) => ({ at: index, error: { reason } })
export const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
