import { DependencyFault } from '@svc/protocol/dependency-fault'
import { authoritySchema } from '@svc/protocol/internal'
import type { InternalClient, InternalFailure } from '@svc/service'
import type { RegistryStore } from '../registry/registry-store.ts'
import { type Answer, checkIdentifier, deactivated, negotiate, refusal, resolved } from './resolution.ts'

export interface ResolutionOptions {
  readonly accept: string | undefined
  /** Whether the request asks for another version than the current one. */
  readonly wantsVersion: boolean
}

/** Resolves from the registry and core's current key authority; without either there is no answer but an error. */
export class ResolutionService {
  readonly #store: RegistryStore
  readonly #core: InternalClient

  constructor(store: RegistryStore, core: InternalClient) {
    this.#store = store
    this.#core = core
  }

  async resolve(did: string, options: ResolutionOptions, now: number): Promise<Answer> {
    const fault = checkIdentifier(did)
    if (fault) return refusal(fault, now)
    if (options.wantsVersion) return refusal('FEATURE_NOT_SUPPORTED', now)
    const contentType = negotiate(options.accept)
    if (!contentType) return refusal('REPRESENTATION_NOT_SUPPORTED', now)
    try {
      const [registration, authority] = await Promise.all([
        this.#store.find(did),
        this.#core.call({ method: 'GET', path: `/api/internal/authority/${did}` }, authoritySchema),
      ])
      if (!authority.ok) return authorityRefusal(authority.error, now)
      if (authority.value.did !== did) return refusal('INTERNAL_ERROR', now, 'core answered for another DID')
      if (authority.value.scope !== registration?.scope) return refusal('NOT_FOUND', now)
      if (authority.value.deactivated) return deactivated(now)
      return resolved(authority.value, registration, contentType, now)
    } catch (error) {
      return refusal('INTERNAL_ERROR', now, error instanceof DependencyFault ? error.dependency : 'fault')
    }
  }
}

/** Core says that there is no such identity; any other refusal says that core cannot be relied on now. */
function authorityRefusal(failure: InternalFailure, now: number): Answer {
  if (failure.reason === 'unavailable') return refusal('INTERNAL_ERROR', now, `core: ${failure.detail}`)
  return failure.error === 'not_found'
    ? refusal('NOT_FOUND', now)
    : refusal('INTERNAL_ERROR', now, `core: ${failure.error}`)
}
