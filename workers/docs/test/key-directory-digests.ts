/** Every digest that the page of the key directory shows, computed from what it shows beside it. */
import { guardianRequestId, signedGuardianRequestSchema } from '@svc/protocol/guardians'
import { toHex } from '@svc/protocol/hash'
import { publishPackageSchema } from '@svc/protocol/key-directory'
import { prekeyTree, signedPackageRevocationSchema } from '@svc/protocol/key-packages'
import { merkleRoot } from '@svc/protocol/merkle'
import { statementHash } from '@svc/protocol/statement'
import { directoryLeafHash, leafEntry } from '@svc/protocol/transparency'
import { value } from './examples.ts'

const body = publishPackageSchema.parse(value('publish-package'))
const revocation = signedPackageRevocationSchema.parse(value('package-revocation'))
const { did, deviceId } = body.credential.statement
const leafId = statementHash(body.credential.statement)
const leaf = { kind: 'credential', did, deviceId, statementHash: leafId } as const

const asked = signedGuardianRequestSchema.parse((value('guardian-request') as { request: unknown }).request)

export const DIRECTORY = {
  body,
  leaf,
  keyPackageHash: statementHash(body.keyPackage.statement),
  leafId,
  revocationId: statementHash(revocation.statement),
  prekeyRoot: prekeyTree(body.prekeys[0]?.publicKeysB64u ?? []).root,
  requestId: guardianRequestId(asked.statement),
  logRoot: toHex(merkleRoot([directoryLeafHash(leafEntry(leaf))])),
}
export const DIRECTORY_DIGESTS = [
  DIRECTORY.keyPackageHash,
  DIRECTORY.leafId,
  DIRECTORY.revocationId,
  DIRECTORY.prekeyRoot,
  DIRECTORY.logRoot,
  DIRECTORY.requestId,
  // What guardians attest here, and an old key.
  'a7'.repeat(48),
]
