import { encodeBase64url } from '@svc/protocol/base64url'
import { DependencyFault } from '@svc/protocol/dependency-fault'
import { hashTextHex } from '@svc/protocol/hash'
import { type NewSession, SESSION_LIFETIME_MS, type SignInMethod } from '@svc/protocol/sign-in'
import { SESSION_TOKEN } from '@svc/protocol/sign-in-session'
import type { SessionStore, StoredSession } from './session-store.ts'

/** Sessions of this service: 256 random bits, kept hashed, for the pages of an account. */
export class SessionService {
  readonly #store: SessionStore

  constructor(store: SessionStore) {
    this.#store = store
  }

  async open(accountId: string, method: SignInMethod, now: number): Promise<NewSession> {
    const token = `signin_${encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))}`
    const expiresAt = now + SESSION_LIFETIME_MS
    const opened = await this.#store.put(hashTextHex(token), { accountId, method, expiresAt }, now)
    if (!opened) throw new DependencyFault('accounts', { cause: new Error('a credential without its account') })
    return { token, accountId, method, expiresAt }
  }

  /** What the session is kept by. */
  hashOf(token: string): string {
    return hashTextHex(token)
  }

  /** Null for a token that is unknown, over or signed out. */
  async find(token: string, now: number): Promise<StoredSession | null> {
    return SESSION_TOKEN.test(token) ? this.#store.find(hashTextHex(token), now) : null
  }

  async close(token: string): Promise<void> {
    await this.#store.delete(hashTextHex(token))
  }
}
