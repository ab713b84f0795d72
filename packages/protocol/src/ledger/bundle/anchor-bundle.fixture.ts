import { encodeBase64url } from '../../base/base64url.ts'
import { hashTextHex } from '../../base/hash.ts'
import { signerOf } from '../../chain/chain.fixture.ts'
import { openEntry } from '../../merkle/entries.ts'
import type { ListedLog } from '../../merkle/log-list.ts'
import {
  type FixtureLog,
  firstKey,
  fixtureLog,
  ISSUED_AT,
  type LogSigner,
  openedEntry,
  REALM,
} from '../../merkle/rolled-log.fixture.ts'
import { anchorEntry } from '../anchor-log.ts'
import { submissionBytes } from '../anchor-submission.ts'
import { ANCHOR_SALT_BYTES, type AnchorRecord, anchorIdOf, type SignedCheckpoint } from '../anchors.ts'
import type { GovernanceAttestation } from '../attestations.ts'
import type { AnchorBundle, CosignedState } from './anchor-bundle.ts'
import { firstOf } from './cosigned-states.fixture.ts'

export const SIZES = [2, 3, 4, 5, 7, 8, 9]
export const MAX_SIZE = 9
export const LOG = `${REALM}/anchors/2027a`

export const [owner, stranger] = await Promise.all([signerOf(3), signerOf(4)])

export async function attestation(
  by: LogSigner,
  root: string,
  epoch: string,
  { realm = REALM, subject = owner.did, issuedAt = ISSUED_AT } = {},
): Promise<GovernanceAttestation> {
  const signature = await by.sign(submissionBytes({ owner: subject, root, epoch }, realm, issuedAt))
  const signedAt = new Date(issuedAt).toISOString()
  return { alg: 'ml-dsa-65', publicKeyB64u: by.ownerPublicKey, signatureB64u: encodeBase64url(signature), signedAt }
}

export async function recordAt(index: number, name = LOG): Promise<AnchorRecord> {
  const [root, epoch] = [hashTextHex(`root ${index}`), `epoch-${index}`]
  return {
    anchorId: anchorIdOf(owner.did, root, epoch),
    root,
    epoch,
    hashAlg: 'sha3-384',
    createdAt: new Date(ISSUED_AT + index).toISOString(),
    salt: encodeBase64url(new Uint8Array(ANCHOR_SALT_BYTES).fill(index)),
    attestations: [await attestation(owner, root, epoch)],
    status: 'submitted',
    owner: owner.did,
    position: { log: name, index },
  }
}

/** Records at the indexes 1 to 8 of a log; leaf 0 opens it. */
const records: readonly AnchorRecord[] = await Promise.all(
  Array.from({ length: MAX_SIZE - 1 }, (_, i) => recordAt(i + 1)),
)
export const log: FixtureLog = fixtureLog('anchors', LOG, firstKey, [openEntry(LOG, null), ...records.map(anchorEntry)])
export const entry: ListedLog = openedEntry('anchors', log, null)
export const at = (index: number) => records[index - 1]!

export const checkpointOf = async (size: number, members: object = {}, by?: LogSigner) =>
  (await log.checkpoint(size, members, by)) as SignedCheckpoint

/** The first one of the log is that of the smallest size, unless another is given. */
export async function bundleOf(
  index: number,
  size: number,
  cosigned: readonly CosignedState[] = [],
  first: AnchorBundle['first'] = cosigned[0] ? firstOf(cosigned[0]) : null,
): Promise<AnchorBundle> {
  return {
    format: 'svc/anchor-bundle/v2',
    record: at(index),
    log: entry,
    proof: log.inclusion(index, size),
    checkpoint: await checkpointOf(size),
    first,
    cosigned: [...cosigned],
  }
}
