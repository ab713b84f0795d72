/** Every digest that the page of the key directory shows, computed from what it shows beside it. */

import { toHex } from '@svc/protocol/base/hash'
import { statementHash } from '@svc/protocol/base/statement'
import { mapLine } from '@svc/protocol/keys/account-map'
import { EMPTY_HEAD, foldHead, leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import { publishPackageSchema } from '@svc/protocol/keys/directory'
import { guardianRequestId, signedGuardianRequestSchema } from '@svc/protocol/keys/guardians'
import { labelProver } from '@svc/protocol/keys/label-prover'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import { prekeyTree, signedPackageRevocationSchema } from '@svc/protocol/keys/packages'
import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import { consistencyProof, inclusionProof, merkleRoot } from '@svc/protocol/merkle/tree'
import { value } from './examples.ts'

const body = publishPackageSchema.parse(value('publish-package'))
const revocation = signedPackageRevocationSchema.parse(value('package-revocation'))
const REALM = 'https://core.example'
const LOG = `${REALM}/transparency/2027a`
/** As in the vectors of the package. */
const labels = labelProver(new Uint8Array(32).fill(0x33), REALM)
const { label, labelProofB64u } = labels.prove(body.credential.statement.did)
const hashes = [statementHash(body.credential.statement), statementHash(revocation.statement)] as const
const lines = [openEntry(LOG, null), updateLine({ label, seq: 1, statementHash: hashes[0] })]
const leaves = lines.map(entryHash)

const map = new AccountMap()
map.count([{ label, seq: 1, statementHash: hashes[0] }])
/** The log after it proves the account. */
const mapLeaf = mapLine({ size: 2, root: map.root, epoch: 1, at: 1_790_000_002_000 })

const asked = signedGuardianRequestSchema.parse((value('guardian-request') as { request: unknown }).request)

export const DIRECTORY = {
  body,
  label,
  labelProofB64u,
  labelKeyB64u: labels.publicKeyB64u,
  lines,
  keyPackageHash: statementHash(body.keyPackage.statement),
  leafId: leafIdOf(label, hashes[0]),
  revocationId: leafIdOf(label, hashes[1]),
  heads: [foldHead(EMPTY_HEAD, hashes.slice(0, 1)).head, foldHead(EMPTY_HEAD, hashes).head],
  prekeyRoot: prekeyTree(body.prekeys[0]?.publicKeysB64u ?? []).root,
  requestId: guardianRequestId(asked.statement),
  logRoot: toHex(merkleRoot(leaves)),
  mapLeaf,
  mapRoot: map.root,
  mappedRoot: toHex(merkleRoot([...leaves, entryHash(mapLeaf)])),
  logPaths: [...inclusionProof(leaves, 1), ...consistencyProof(leaves, 1)].map(toHex),
}
export const DIRECTORY_DIGESTS = [
  DIRECTORY.keyPackageHash,
  ...hashes,
  ...DIRECTORY.heads,
  ...DIRECTORY.logPaths,
  DIRECTORY.prekeyRoot,
  DIRECTORY.logRoot,
  DIRECTORY.mapRoot,
  DIRECTORY.mappedRoot,
  DIRECTORY.requestId,
  // What guardians attest here, and an old key.
  'a7'.repeat(48),
]
