import type { KnownInception } from '@svc/protocol/base/inception-head'
import type { IdentityService } from '../identity/service.ts'

/** Events that an isolate remembers, each under some 140 characters: about 2 MB. */
const MAX_FOUND = 10_000

/** Looks up the events that statements name. An event stays in its log, so each is asked for once in an isolate's life. */
export class InceptionLogService {
  readonly #identities: IdentityService
  readonly #found = new Set<string>()

  constructor(identities: IdentityService) {
    this.#identities = identities
  }

  /**
   * Whether the inception log of an identity has the event that a statement names; true if it names none. If a version or
   * an acceptance could name an invented event, nothing that its owner signs later could follow it.
   */
  async has(did: string, named: KnownInception): Promise<boolean> {
    if (named === null) return true
    const name = `${did} ${named.sequence} ${named.hash}`
    if (this.#found.has(name)) return true
    const signer = await this.#identities.ask(did, async (object) => object.signer(named))
    if (!signer?.hasNamed) return false
    if (this.#found.size >= MAX_FOUND) this.#found.clear()
    this.#found.add(name)
    return true
  }
}
