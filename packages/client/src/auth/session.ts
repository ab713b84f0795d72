import { type Passkey, passkeyListSchema, passkeyRemovedSchema, passkeySchema } from '@svc/protocol/auth/passkeys'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { accountDeletedSchema, grantSchema, sessionSchema, signedOutSchema } from '@svc/protocol/auth/sign-in'
import type * as z from 'zod'
import type { Call } from '../transport/call.ts'
import type { Transport } from '../transport/transport.ts'

/** Account pages. Keep the token in memory: anyone who has it can change how the account signs in. */
export class SignInSession {
  readonly token: string
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, base: string, token: string) {
    this.token = token
    this.#transport = transport
    this.#base = base
  }

  read(): Promise<z.output<typeof sessionSchema>> {
    return this.#ask('GET', 'session', sessionSchema)
  }

  async passkeys(): Promise<Passkey[]> {
    return (await this.#ask('GET', 'passkeys', passkeyListSchema)).passkeys
  }

  renamePasskey(passkeyId: string, label: string): Promise<Passkey> {
    return this.#ask('PUT', `passkeys/${passkeyId}`, passkeySchema, { label })
  }

  async removePasskey(passkeyId: string): Promise<void> {
    await this.#ask('DELETE', `passkeys/${passkeyId}`, passkeyRemovedSchema)
  }

  /** For `registerPasskey` or `register` of the same account. */
  async grant(): Promise<string> {
    return (await this.#ask('POST', 'session/grant', grantSchema)).grant
  }

  async signOut(): Promise<void> {
    await this.#ask('DELETE', 'session', signedOutSchema)
  }

  /** Deletes the account with its credentials and sessions. Identities and their keys are not affected. */
  async deleteAccount(): Promise<void> {
    await this.#ask('DELETE', 'account', accountDeletedSchema)
  }

  #ask<S extends z.ZodType>(method: Call['method'], path: string, schema: S, body?: object): Promise<z.output<S>> {
    const headers = { [SESSION_HEADER]: this.token }
    return this.#transport.data({ method, url: `${this.#base}/${path}`, headers, ...(body ? { body } : {}) }, schema)
  }
}
