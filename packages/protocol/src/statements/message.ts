/**
 * Messages of applications (workers/docs/pages/developer/statements.md): the only form in which the SDK signs what an
 * application hands to it, such as a login challenge. A signature over free bytes could be a statement of any kind; this
 * one names its own kind, its deployment and its audience, so it means nothing to anybody else.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { hashHexAsync, hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, userIdOfKey, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { isRealm, type Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import {
  NONCE_PATTERN,
  ownedStatementSchema,
  signedSchema,
  statementNonceSchema,
  verifyStatement,
} from '../base/statement.ts'
import type { EpochKey } from '../chain/chain.ts'
import {
  type InceptionStep,
  type SignedPlace,
  type SignerFault,
  type SignerStanding,
  type SignerState,
  signerStanding,
} from '../devices/signer-standing.ts'

/** More is signed by its hash. */
export const MAX_MESSAGE_CHARACTERS = 65_536
const AUDIENCE_PATTERN = /^[\x21-\x7e]{1,256}$/

export const messageSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/message/v1', {
    did: didSchema,
    keyId: userIdSchema.meta({ description: 'SHA3-384 of the signing key, which is a root key or a device key' }),
    audience: z
      .string()
      .regex(AUDIENCE_PATTERN, 'must be 1 to 256 visible ASCII characters')
      .meta({ description: 'Who the message is for; a verifier takes its own only', example: 'login.example.com' }),
    text: z.string().max(MAX_MESSAGE_CHARACTERS).nullable().meta({ description: 'The message; null if it is bytes' }),
    hash: hashSchema.nullable().meta({ description: 'SHA3-384 of the bytes of the message; null if it is text' }),
    nonce: statementNonceSchema,
  })
    .refine(({ text, hash }) => (text === null) !== (hash === null), {
      path: ['hash'],
      message: 'exactly one of text and hash must be null',
    })
    .meta({ id: 'Message', description: 'A message of an application' }),
)
export type Message = z.infer<typeof messageSchema>

export const signedMessageSchema = /* @__PURE__ */ pure(() =>
  signedSchema(messageSchema)
    .extend({ publicKeyB64u: publicKeySchema })
    .meta({ id: 'SignedMessage', description: 'Includes the signing key; check whose it is' }),
)
export type SignedMessage = z.infer<typeof signedMessageSchema>

/** The member of a message that is not of the form, and what it must be; null if all are. For signers, who need no schema. */
export function messageFormFault({ realm, audience, text, nonce, issuedAt }: Message): string | null {
  if (!isRealm(realm)) return 'realm: must be an origin in lower case, like https://core.example.com'
  if (!AUDIENCE_PATTERN.test(audience)) return 'audience: must be 1 to 256 visible ASCII characters'
  if (text !== null && text.length > MAX_MESSAGE_CHARACTERS)
    return `content: must have at most ${MAX_MESSAGE_CHARACTERS} characters; sign longer text as bytes`
  if (!NONCE_PATTERN.test(nonce)) return 'nonce: must be 16 to 64 base64url characters'
  if (!Number.isSafeInteger(issuedAt) || issuedAt < 0) return 'now: must be whole milliseconds since 1970'
  return null
}

/** What a verifier knows independently. */
export interface ExpectedMessage {
  readonly did: string
  /** The root keys of the DID by epoch, the current one last: those of `client.keyHistory.of(did)`. */
  readonly keys: readonly EpochKey[]
  /** Every state of its inception log, for the keys of devices: those of `client.devices.verify()`. Only the owner sees it. */
  readonly steps?: readonly InceptionStep[]
  /** Keys of devices that the verifier knows to be active, such as those of a listing. */
  readonly deviceKeysB64u?: readonly string[]
  readonly audience: string
  readonly realms: Realms
  readonly content: string | Uint8Array
  /** Where the verifier had the message already, for a key that has ended since. */
  readonly followedAt?: SignedPlace
  /** Epoch ms; default: the runtime's clock. It decides whether a device has expired. */
  readonly now?: number
}

/** A message that verified, with what has become of the key that signed it. */
export interface VerifiedMessage extends SignedMessage {
  readonly signer: SignerState
}

export type MessageFault =
  | 'malformed'
  /** Of another identity than expected. */
  | 'wrong_identity'
  /** For another audience, or with other content. */
  | 'mismatch'
  | 'wrong_realm'
  | 'invalid_signature'
  | SignerFault

/**
 * The message, if it is exactly the expected one, signed for the audience by a key that could sign it; otherwise the first
 * fault. The caller counts nonces and judges the time.
 */
export async function readMessage(
  signed: unknown,
  expected: ExpectedMessage,
): Promise<Result<VerifiedMessage, MessageFault>> {
  const parsed = signedMessageSchema.safeParse(signed)
  if (!parsed.success) return err('malformed')
  const { statement, signatureB64u, publicKeyB64u } = parsed.data
  const { did, audience, content } = expected
  const isIt =
    typeof content === 'string' ? statement.text === content : statement.hash === (await hashHexAsync(content))
  if (statement.did !== did) return err('wrong_identity')
  if (!isIt || statement.audience !== audience) return err('mismatch')
  if (statement.keyId !== userIdOfKey(publicKeyB64u)) return err('wrong_key')
  const standing = standingOf(statement, publicKeyB64u, expected)
  if (standing.fault !== null) return err(standing.fault)
  if (!expected.realms.includes(statement.realm)) return err('wrong_realm')
  const isSigned = await verifyStatement({ statement, signatureB64u }, bytesOf(publicKeyB64u), expected.realms)
  return isSigned ? ok({ ...parsed.data, signer: standing.signer }) : err('invalid_signature')
}

/** Every device of an identity may sign messages. */
function standingOf(
  { inception, issuedAt }: Message,
  publicKeyB64u: string,
  { keys, steps, deviceKeysB64u = [], followedAt, now = Date.now() }: ExpectedMessage,
): SignerStanding {
  if (!steps && deviceKeysB64u.includes(publicKeyB64u)) return { signer: 'active', fault: null }
  const statement = { publicKeyB64u, inception, issuedAt, capability: null }
  return signerStanding({ keys, log: steps ?? null, now }, statement, followedAt)
}
