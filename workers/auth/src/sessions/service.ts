import type { ListedSession } from '@svc/protocol/auth/account-pages'
import { SESSION_TOKEN } from '@svc/protocol/auth/session'
import { type NewSession, SESSION_LIFETIME_MS, type SignInMethod } from '@svc/protocol/auth/sign-in'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { hashTextHex } from '@svc/protocol/base/hash'
import type { SessionStore, StoredSession } from './store.ts'

export interface Opening {
  readonly session: NewSession
  /** The first inserts it. */
  readonly statements: readonly D1PreparedStatement[]
}

/** Sessions of this service: 256 random bits, stored as a hash, for account pages. */
export class SessionService {
  readonly #store: SessionStore

  constructor(store: SessionStore) {
    this.#store = store
  }

  async open(accountId: string, method: SignInMethod, now: number): Promise<NewSession> {
    const session = newSession(accountId, method, now)
    if (!(await this.#store.put(hashTextHex(session.token), session, now))) throw withoutAccount()
    return session
  }

  /** A session that is opened in a batch with the change of its credential, and only if that is made. */
  openingAfter(accountId: string, method: SignInMethod, now: number): Opening {
    const session = newSession(accountId, method, now)
    return { session, statements: this.#store.opening(hashTextHex(session.token), session, now, { afterChange: true }) }
  }

  /** The key under which the session is stored. */
  hashOf(token: string): string {
    return hashTextHex(token)
  }

  /** Null for an unknown, expired or signed-out token. */
  async find(token: string, now: number): Promise<StoredSession | null> {
    if (!SESSION_TOKEN.test(token)) return null
    const tokenHash = hashTextHex(token)
    const found = await this.#store.find(tokenHash, now)
    if (found) await this.#store.touch(tokenHash, now)
    return found
  }

  list(accountId: string, token: string, now: number): Promise<ListedSession[]> {
    return this.#store.list(accountId, hashTextHex(token), now)
  }

  /** How many ended. */
  end(accountId: string, sessionId: string): Promise<number> {
    return this.#store.end(accountId, sessionId)
  }

  /** How many ended. */
  endOthers(accountId: string, token: string): Promise<number> {
    return this.#store.endOthers(accountId, hashTextHex(token))
  }

  async close(token: string): Promise<void> {
    await this.#store.delete(hashTextHex(token))
  }
}

function newSession(accountId: string, method: SignInMethod, now: number): NewSession {
  const token = `signin_${encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))}`
  return { token, accountId, method, expiresAt: now + SESSION_LIFETIME_MS }
}

export const withoutAccount = () =>
  new DependencyFault('accounts', { cause: new Error('a credential without its account') })
