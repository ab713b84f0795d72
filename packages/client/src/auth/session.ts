import type * as z from 'zod'
import {
  devicesForgottenSchema,
  type KnownDevice,
  keptSecretSchema,
  knownDeviceListSchema,
  type ListedSession,
  secretRemovedSchema,
  sessionListSchema,
  sessionsEndedSchema,
} from '#protocol/auth/account-pages'
import type { LocallyWrapped } from '#protocol/auth/local-wrap'
import { type Passkey, passkeyListSchema, passkeyRemovedSchema, passkeySchema } from '#protocol/auth/passkeys'
import { SESSION_HEADER } from '#protocol/auth/session'
import { accountDeletedSchema, grantSchema, sessionSchema, signedOutSchema } from '#protocol/auth/sign-in'
import { checkCall } from '../arguments/check.ts'
import type { Call } from '../transport/call.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'

/** Account pages. Keep the token in memory: anyone who has it can change how the account signs in. */
export class SignInSession {
  readonly token: string
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, base: string, token: string) {
    checkCall('new SignInSession', [transport, base, token], ['transport', 'base', 'token'])
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

  async renamePasskey(passkeyId: string, label: string): Promise<Passkey> {
    checkCall('signInSession.renamePasskey', [passkeyId, label], ['passkeyId', 'label'])
    return this.#ask('PUT', `passkeys/${passkeyId}`, passkeySchema, { label })
  }

  async removePasskey(passkeyId: string): Promise<void> {
    checkCall('signInSession.removePasskey', [passkeyId], ['passkeyId'])
    await this.#ask('DELETE', `passkeys/${passkeyId}`, passkeyRemovedSchema)
  }

  /** For `registerPasskey` or `register` of the same account. */
  async grant(): Promise<string> {
    return (await this.#ask('POST', 'session/grant', grantSchema)).grant
  }

  /** Newest first; `isCurrent` is this one. */
  async sessions(): Promise<ListedSession[]> {
    return (await this.#ask('GET', 'sessions', sessionListSchema)).sessions
  }

  /** Ends a session of the account with the grants that were requested with it. */
  async endSession(sessionId: string): Promise<void> {
    checkCall('signInSession.endSession', [sessionId], ['sessionId'])
    await this.#ask('DELETE', `sessions/${sessionId}`, sessionsEndedSchema)
  }

  /** Ends all sessions of the account but this one; returns how many. */
  async endOtherSessions(): Promise<number> {
    return (await this.#ask('DELETE', 'sessions', sessionsEndedSchema)).ended
  }

  /** Devices that signed in with the password, newest first. */
  async knownDevices(): Promise<KnownDevice[]> {
    return (await this.#ask('GET', 'devices', knownDeviceListSchema)).devices
  }

  /** The attempts of this device count with everyone else's again. Its sessions go on: see `endOtherSessions`. */
  async forgetDevice(deviceId: string): Promise<void> {
    checkCall('signInSession.forgetDevice', [deviceId], ['deviceId'])
    await this.#ask('DELETE', `devices/${deviceId}`, devicesForgottenSchema)
  }

  /** Returns how many were forgotten. */
  async forgetDevices(): Promise<number> {
    return (await this.#ask('DELETE', 'devices', devicesForgottenSchema)).forgotten
  }

  /**
   * Keeps a secret with a passkey, for a new device with the same synchronized passkey. `wrapped` is the result of
   * `wrapLocal` under the key of that passkey, and at most 4 KiB as JSON. See `keepSecret` of `SignedInByPasskey`.
   */
  async keepSecret(passkeyId: string, wrapped: LocallyWrapped): Promise<void> {
    checkCall('signInSession.keepSecret', [passkeyId, wrapped], ['passkeyId', 'wrapped'])
    await this.#ask('PUT', `passkeys/${passkeyId}/secret`, keptSecretSchema, wrapped)
  }

  /** What is kept with a passkey, still encrypted; null if nothing is. */
  async keptSecret(passkeyId: string): Promise<LocallyWrapped | null> {
    checkCall('signInSession.keptSecret', [passkeyId], ['passkeyId'])
    try {
      return (await this.#ask('GET', `passkeys/${passkeyId}/secret`, keptSecretSchema)).wrapped
    } catch (error) {
      if (error instanceof ServiceError && error.error === 'not_found') return null
      throw error
    }
  }

  async removeSecret(passkeyId: string): Promise<void> {
    checkCall('signInSession.removeSecret', [passkeyId], ['passkeyId'])
    await this.#ask('DELETE', `passkeys/${passkeyId}/secret`, secretRemovedSchema)
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
