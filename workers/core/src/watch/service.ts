import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { ok, type Result } from '@svc/protocol/base/result'
import type { RootAnswer } from '@svc/protocol/chain/api'
import { isWatchToken, type WatchTokenRecord, type WatchTokens, watchTokenHash } from '@svc/protocol/chain/watch'
import type { Background, IdentityService } from '../identity/service.ts'
import type { RootReading } from '../rotation/reading.ts'
import { summaryOf } from '../rotation/rows.ts'
import type { WatchRefusal } from './transaction.ts'

/** The credentials of a request that may be allowed to see the devices. */
export interface Onlooker {
  /** As sent, not validated. */
  readonly token: string | null
  /** The caller whose assertion was spent. */
  readonly caller: Pick<Caller, 'did'> | null
}

/** Reads the current root of an identity, with its devices for callers who may see them, and manages watch tokens. */
export class WatchService {
  readonly #identities: IdentityService

  constructor(identities: IdentityService) {
    this.#identities = identities
  }

  /**
   * Returns the root, with the devices for callers who may see them. For all other callers, the response and the steps
   * to it depend on neither their credentials nor the devices: one shared read, which also has the hashes of the tokens.
   */
  async root(did: string, { token, caller }: Onlooker, background: Background): Promise<RootAnswer | null> {
    const reading = await this.#identities.read(did, 'root', async (object) => object.root(), background)
    if (!reading) return null
    const tokenHash = token !== null && isWatchToken(token) ? watchTokenHash(token) : null
    const mayLook = tokenHash !== null && reading.watchers.includes(tokenHash)
    if (!mayLook && caller?.did !== did) return rootOf(reading)
    const watched = await this.#identities.ask(did, async (identity) => identity.look(mayLook ? tokenHash : null))
    return watched
      ? { ...rootOf(watched.root), devices: watched.devices, changes: [...watched.changes] }
      : rootOf(reading)
  }

  make(
    assertion: VerifiedAssertion,
    tokenHash: string,
  ): Promise<Result<WatchTokenRecord, SpendRefusal | WatchRefusal>> {
    return this.#identities.act(assertion, async (identity) => identity.makeWatchToken(assertion, tokenHash))
  }

  async list(assertion: VerifiedAssertion): Promise<Result<WatchTokens, SpendRefusal>> {
    const listed = await this.#identities.act(assertion, async (identity) => identity.watchTokens(assertion))
    return listed.ok ? ok({ tokens: listed.value }) : listed
  }

  withdraw(
    assertion: VerifiedAssertion,
    tokenHash: string,
  ): Promise<Result<WatchTokenRecord, SpendRefusal | WatchRefusal>> {
    return this.#identities.act(assertion, async (identity) => identity.withdrawWatchToken(assertion, tokenHash))
  }
}

function rootOf({ identity, rotation, isDisputed }: RootReading): RootAnswer {
  const { did, scope, current, commitment, deactivatedAt } = identity
  return {
    did,
    scope,
    userId: current.userId,
    publicKeyB64u: encodeBase64url(current.publicKey),
    epoch: current.epoch,
    commitment,
    disputed: isDisputed,
    deactivated: deactivatedAt !== null,
    rotation: rotation && summaryOf(rotation),
  }
}
