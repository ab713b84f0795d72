import { type ChildProcess, spawn } from 'node:child_process'
import * as z from 'zod'
import { base64urlOf, bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { publicKeySchema, signatureSchema } from '#protocol/base/identity'
import { type HybridKey, kemPublicKeySchema, x25519KeySchema, xWingKeyOf } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import { checkCall } from '../arguments/check.ts'
import type { SigningPurpose } from '../identity/signing-key.ts'
import { keptToPurpose } from '../signers/kept-to-purpose.ts'
import { within } from '../signers/kms-signer.ts'
import type { KeyAgreement, Signer } from '../signers/signer.ts'
import { SignerError } from '../signers/signer-error.ts'

/** An answer has one key or signature. */
const MAX_LINE_CHARACTERS = 64 * 1024

const keysSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      publicKeyB64u: publicKeySchema,
      kemPublicKeyB64u: kemPublicKeySchema.optional(),
      x25519B64u: x25519KeySchema.optional(),
    })
    .refine((keys) => (keys.kemPublicKeyB64u === undefined) === (keys.x25519B64u === undefined), 'must have both'),
)
const signedSchema = /* @__PURE__ */ z.strictObject({ signatureB64u: signatureSchema })
const unwrappedSchema = /* @__PURE__ */ pure(() => z.strictObject({ keyB64u: base64urlOf(32) }))
const answerSchema = /* @__PURE__ */ pure(() =>
  z.looseObject({
    id: z.int(),
    error: z.enum(['refused', 'unavailable']).optional(),
    message: z.string().max(1000).optional(),
  }),
)

export interface ProcessSignerOptions {
  /** How long an answer may take, ms; default: 120,000, because a person may be asked. */
  readonly timeoutMs?: number
}

interface Waiting {
  readonly purpose: SigningPurpose | null
  readonly resolve: (answer: object) => void
  readonly reject: (error: SignerError) => void
}

/**
 * Keys of another program, which is started and asked by one line of JSON for each act, over its standard input and
 * output. It sees what it signs, and can ask a person.
 */
export class ProcessSigner {
  readonly signer: Signer
  /** Undefined if the program can only sign. */
  readonly keyAgreement: KeyAgreement | undefined
  readonly #conversation: Conversation

  private constructor(
    conversation: Conversation,
    { publicKeyB64u, kemPublicKeyB64u, x25519B64u }: z.infer<typeof keysSchema>,
  ) {
    this.#conversation = conversation
    this.signer = keptToPurpose({
      publicKey: bytesOf(publicKeyB64u),
      async sign(bytes, purpose) {
        const act = { act: 'sign', purpose, bytesB64u: encodeBase64url(bytes) }
        return bytesOf((await conversation.ask(act, signedSchema, purpose)).signatureB64u)
      },
    })
    this.keyAgreement =
      kemPublicKeyB64u === undefined || x25519B64u === undefined
        ? undefined
        : agreementOf(conversation, { kemPublicKeyB64u, x25519B64u })
  }

  /** Starts the program and asks for its public keys. Throws a `SignerError` if it does not answer. */
  static async start(
    command: string,
    args: readonly string[] = [],
    options: ProcessSignerOptions = {},
  ): Promise<ProcessSigner> {
    checkCall('ProcessSigner.start', [command, args, options], ['command', 'args?', ['options?', { timeoutMs: 0 }]])
    const { timeoutMs = 120_000 } = options
    const conversation = new Conversation(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }), timeoutMs)
    try {
      return new ProcessSigner(conversation, await conversation.ask({ act: 'keys' }, keysSchema, null))
    } catch (error) {
      conversation.end()
      throw error
    }
  }

  /** Ends the program. What it has not answered throws a `SignerError`. */
  close(): void {
    this.#conversation.end()
  }
}

function agreementOf(conversation: Conversation, key: HybridKey): KeyAgreement {
  return {
    publicKey: xWingKeyOf(key),
    async unwrap(ciphertext, { label, info }) {
      const [ciphertextB64u, infoB64u] = [ciphertext, info].map(encodeBase64url)
      const act = { act: 'unwrap', label, infoB64u, ciphertextB64u }
      return bytesOf((await conversation.ask(act, unwrappedSchema, null)).keyB64u)
    },
  }
}

class Conversation {
  readonly #child: ChildProcess
  readonly #timeoutMs: number
  readonly #waiting = new Map<number, Waiting>()
  #text = ''
  #asked = 0
  #ended: SignerError | null = null

  constructor(child: ChildProcess, timeoutMs: number) {
    this.#child = child
    this.#timeoutMs = timeoutMs
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#heard(text))
    child.stdin?.on('error', () => this.#endWith('The program of the signer does not read'))
    child.on('error', (cause) => this.#endWith('The program of the signer could not be started', cause))
    child.on('close', () => this.#endWith('The program of the signer has ended'))
  }

  /** Asks one thing. Throws a SignerError for a refusal, a timeout, or an answer of another form. */
  async ask<S extends z.ZodType>(act: object, schema: S, purpose: SigningPurpose | null): Promise<z.output<S>> {
    if (this.#ended) throw this.#ended
    this.#asked += 1
    const id = this.#asked
    const answered = new Promise<object>((resolve, reject) => {
      this.#waiting.set(id, { purpose, resolve, reject })
    })
    this.#child.stdin?.write(`${JSON.stringify({ id, ...act })}\n`)
    const late = new SignerError('timeout', purpose, `The signer did not answer within ${this.#timeoutMs} ms`)
    const answer = await within(this.#timeoutMs, late, answered).finally(() => this.#waiting.delete(id))
    const parsed = schema.safeParse(answer)
    if (!parsed.success)
      throw new SignerError('unavailable', purpose, 'The signer answered in another form', { cause: parsed.error })
    return parsed.data
  }

  end(): void {
    this.#endWith('The signer was closed')
  }

  #heard(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) this.#answered(line)
    if (this.#text.length > MAX_LINE_CHARACTERS) this.#endWith('The signer answered a line that is too long')
  }

  #answered(line: string): void {
    const parsed = answerSchema.safeParse(line.length > MAX_LINE_CHARACTERS ? null : jsonOf(line))
    if (!parsed.success) {
      this.#endWith('The signer answered something else than a line of JSON with an id')
      return
    }
    const { id, error, message = 'The signer refused', ...members } = parsed.data
    const waiting = this.#waiting.get(id)
    // After a timeout, nobody waits for it any more.
    if (!waiting) return
    if (error) waiting.reject(new SignerError(error, waiting.purpose, message))
    else waiting.resolve(members)
  }

  #endWith(message: string, cause?: unknown): void {
    this.#ended ??= new SignerError('unavailable', null, message, { cause })
    for (const { purpose, reject } of this.#waiting.values())
      reject(new SignerError('unavailable', purpose, message, { cause }))
    this.#waiting.clear()
    this.#child.kill()
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
