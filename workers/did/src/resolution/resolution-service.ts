import { authoritySchema } from '@svc/protocol/internal'
import type { InternalClient, InternalFailure } from '@svc/service'
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
      if (!authority.ok) return refusal(isUnknown(authority.error) ? 'NOT_FOUND' : 'INTERNAL_ERROR', now)
      if (authority.value.did !== did) return refusal('INTERNAL_ERROR', now)
      if (authority.value.scope !== registration?.scope) return refusal('NOT_FOUND', now)
      return resolved(authority.value, registration, contentType, now)
    } catch {
      return refusal('INTERNAL_ERROR', now)
    }
  }
}

/** Core says that there is no such identity; any other refusal says that core cannot be relied on now. */
function isUnknown(failure: InternalFailure): boolean {
  return failure.reason === 'refused' && failure.error === 'not_found'
}
