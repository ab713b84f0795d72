import * as z from 'zod'
import { base64urlOf, base64urlSchema } from '#protocol/base/base64url'
import { didSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'

/** 1 GiB: a hostile file cannot ask for more memory, nor for more time. What we write is far below, so it can grow. */
const MAX_N = 2 ** 20
const MIN_N = 2 ** 14
/** 32 devices, the requests of a recovery and the records of three sheets take half of it. */
const MAX_CIPHERTEXT_BYTES = 256 * 1024
const MAX_CREDENTIAL_ID_BYTES = 1023

const kdfSchema = /* @__PURE__ */ pure(() =>
  z.discriminatedUnion('name', [
    z.strictObject({
      name: z.literal('scrypt'),
      N: z
        .int()
        .min(MIN_N)
        .max(MAX_N)
        .refine((n) => Number.isInteger(Math.log2(n)), 'must be a power of two'),
      r: z.literal(8),
      p: z.literal(1),
      saltB64u: base64urlOf(16),
    }),
    z.strictObject({
      name: z.literal('passkey-prf'),
      saltB64u: base64urlOf(32),
      credentialIdB64u: base64urlSchema(MAX_CREDENTIAL_ID_BYTES),
    }),
  ]),
)
export type Kdf = z.infer<typeof kdfSchema>

/** Encrypted keys as they are stored. Everything but the ciphertext is authenticated with it. */
export const exportedKeysSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    format: z.literal('svc/identity-export/v1'),
    /** Of the identity, or of that of the devices; null if the devices have not joined one. */
    did: didSchema.nullable(),
    kdf: kdfSchema,
    cipher: z.strictObject({ name: z.literal('aes-256-gcm'), nonceB64u: base64urlOf(12) }),
    ciphertextB64u: base64urlSchema(MAX_CIPHERTEXT_BYTES),
  }),
)
export type ExportedKeys = z.infer<typeof exportedKeysSchema>
