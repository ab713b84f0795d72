import type { Transport } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import type { DirectoryCheckpoint, SignedCosignature } from '@svc/protocol/keys/transparency'

/** Signs a state of a key directory's log, which the caller has verified and stored, and submits it. Returns the witness. */
export async function sendCosignature(
  transport: Transport,
  keys: string,
  checkpoint: DirectoryCheckpoint,
  verifies: SignedCosignature['statement']['verifies'],
  seed: Uint8Array,
  now: number,
): Promise<string> {
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const { log, size, root } = checkpoint.statement
  const witness = userIdOf(publicKey)
  const type = 'svc/transparency-cosignature/v1'
  const { realm } = transport
  const statement = { type, realm, log, size, root, witness, verifies, issuedAt: now } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const body = { ...signed, publicKeyB64u: encodeBase64url(publicKey) }
  await transport.send({ method: 'POST', url: `${keys}/api/transparency/cosignatures`, body })
  return witness
}
