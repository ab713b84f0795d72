import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A program that holds the keys whose seeds are in a file, as `svc init --signer` starts it. */
export const SIGNER_PROGRAM = `
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { memoryKeyAgreement, memorySigner } from '${pathToFileURL(join(import.meta.dirname, '../../../packages/client/src/signers.ts')).href}'
const [signing, kem] = JSON.parse(readFileSync(process.argv[2] ?? 'seeds.json', 'utf8')).map((seed) => Uint8Array.from(seed))
const [key, agreement] = [await memorySigner(signing), await memoryKeyAgreement(kem)]
const text = (bytes) => Buffer.from(bytes).toString('base64url')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, act, purpose, bytesB64u } = JSON.parse(line)
  const answer =
    act === 'keys'
      ? {
          publicKeyB64u: text(key.publicKey),
          kemPublicKeyB64u: text(agreement.publicKey.slice(0, 1184)),
          x25519B64u: text(agreement.publicKey.slice(1184)),
        }
      : { signatureB64u: text(await key.sign(new Uint8Array(Buffer.from(bytesB64u, 'base64url')), purpose)) }
  console.log(JSON.stringify({ id, ...answer }))
}
`
