/**
 * Who may follow a root key (workers/docs/pages/developer/rotation.md): an identity commits to the hashes of its next
 * keys before anybody can steal the current one. Genesis commits with its `metadataHash`, each rotation with its request.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { concatBytes } from '../base/bytes.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'

/** Two sheets of words in two places, and one more. */
export const MAX_SUCCESSORS = 3

const nextSchema = /* @__PURE__ */ pure(() =>
  z
    .array(hashSchema)
    .max(MAX_SUCCESSORS)
    .refine((next) => new Set(next).size === next.length, 'names a key twice')
    .meta({
      description: 'Hashes of the keys that may follow, 0 to 3. Empty: any key, by the rules without a commitment',
    }),
)
const replaceableSchema = /* @__PURE__ */ pure(() =>
  z.boolean().meta({
    description:
      'Whether root key and device together may ask for a key that is not in `next`, which takes 30 days. False if `next` is empty',
  }),
)

/** Members of what commits: a genesis and each rotation. */
export const commitmentMembers = /* @__PURE__ */ pure(() => ({ next: nextSchema, replaceable: replaceableSchema }))

/** With `next` empty nothing can be replaced: one spelling of no commitment. */
export function isOneSpelling({
  next,
  replaceable,
}: {
  readonly next: readonly string[]
  readonly replaceable: boolean
}) {
  return next.length > 0 || !replaceable
}

export const commitmentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject(commitmentMembers)
    .refine(isOneSpelling, { path: ['replaceable'], message: 'must be false without `next`' })
    .meta({ id: 'SuccessorCommitment', description: 'Who may follow the root key' }),
)
export type Commitment = z.infer<typeof commitmentSchema>

export const NO_COMMITMENT: Commitment = { next: [], replaceable: false }

/** What a genesis without a commitment has as its `metadataHash`: the hash of `{}`. */
export const NO_COMMITMENT_HASH = /* @__PURE__ */ pure(() => hashHex(jcsBytes({})))

/** The `metadataHash` of a genesis: SHA3-384 over JCS of `{"next": […], "replaceable": …}`, or of `{}`. */
export function commitmentHash({ next, replaceable }: Commitment): string {
  return next.length === 0 ? NO_COMMITMENT_HASH : hashHex(jcsBytes({ next, replaceable }))
}

/** The hash by which a key is named in `next`: SHA3-384 over `ml-dsa-65`, a zero byte and the raw key. Not its userId. */
export function successorHash(publicKeyB64u: string): string {
  const label = new TextEncoder().encode(`${SIGNATURE_ALG}\0`)
  return hashHex(concatBytes([label, bytesOf(publicKeyB64u)]))
}

/** Whether the commitment names the key. */
export function isCommitted({ next }: Commitment, publicKeyB64u: string): boolean {
  return next.includes(successorHash(publicKeyB64u))
}
