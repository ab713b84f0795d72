import { authoritySchema } from '@svc/protocol/internal'
import type { InternalClient } from '@svc/service'
import type { RegistryStore } from '../registry/registry-store.ts'
import { type Answer, checkIdentifier, negotiate, refusal, resolved } from './resolution.ts'

/** Resolves from the registry and core's current key authority; without either there is no answer but an error. */
export class ResolutionService {
  readonly #store: RegistryStore
  readonly #core: InternalClient

  constructor(store: RegistryStore, core: InternalClient) {
    this.#store = store
    this.#core = core
  }

  async resolve(did: string, accept: string | undefined, now: number): Promise<Answer> {
    const fault = checkIdentifier(did)
    if (fault) return refusal(fault, now)
    const contentType = negotiate(accept)
    if (!contentType) return refusal('REPRESENTATION_NOT_SUPPORTED', now)
    try {
      const [registration, authority] = await Promise.all([
        this.#store.find(did),
        this.#core.call({ method: 'GET', path: `/api/internal/authority/${did}` }, authoritySchema),
      ])
      if (!authority.ok && authority.error.reason === 'unavailable') return refusal('INTERNAL_ERROR', now)
      if (!registration || !authority.ok || authority.value.scope !== registration.scope)
        return refusal('NOT_FOUND', now)
      return resolved(authority.value, registration, contentType, now)
    } catch {
      return refusal('INTERNAL_ERROR', now)
    }
  }
}
