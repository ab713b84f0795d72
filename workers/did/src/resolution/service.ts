import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { StandingRegistration } from '@svc/protocol/did/registration'
import { authoritySchema, type RootKeyVersion, rootKeyVersionSchema } from '@svc/protocol/internal/core'
import type { InternalClient, InternalFault } from '@svc/service'
import type { ResolverSigner } from './resolver-signer.ts'
import {
  type Answer,
  checkIdentifier,
  deactivated,
  negotiate,
  type ResultAnswer,
  refusal,
  represented,
  resolved,
  resolvedVersion,
} from './rules.ts'
import { versionLabel, type WantedVersion, wantedVersion } from './version.ts'

export interface ResolutionOptions {
  readonly accept: string | undefined
  readonly versionId?: string | undefined
  readonly versionTime?: string | undefined
}

/** Resolves from core's current key authority, including the registration; if core is unavailable, it fails. */
export class ResolutionService {
  readonly #core: InternalClient
  readonly #signer: ResolverSigner

  constructor(core: InternalClient, signer: ResolverSigner) {
    this.#core = core
    this.#signer = signer
  }

  async resolve(did: string, options: ResolutionOptions, now: number): Promise<Answer> {
    const fault = checkIdentifier(did)
    if (fault) return refusal(fault, now)
    const version = wantedVersion(options, now)
    if (!version.ok) return refusal(version.error, now)
    const contentType = negotiate(options.accept)
    if (!contentType) return refusal('REPRESENTATION_NOT_SUPPORTED', now)
    try {
      const answer = await this.#find(did, version.value, now)
      const isDocumentAlone = represented(answer, contentType) !== answer
      if (answer.status >= 500 || isDocumentAlone) return represented(answer, contentType)
      return { ...answer, body: await this.#signer.prove(answer.body, did, versionLabel(options)) }
    } catch (error) {
      return refusal('INTERNAL_ERROR', now, error instanceof DependencyFault ? error.dependency : 'fault')
    }
  }

  async #find(did: string, version: WantedVersion, now: number): Promise<ResultAnswer> {
    const [authority, key] = await Promise.all([
      this.#core.call({ method: 'GET', path: `/api/internal/authority/${did}` }, authoritySchema),
      this.#rootKey(did, version),
    ])
    if (!authority.ok) return authorityRefusal(authority.error, now)
    if (authority.value.did !== did) return refusal('INTERNAL_ERROR', now, 'core answered for another DID')
    const { registration, scope } = authority.value
    if (!registration) return refusal('NOT_FOUND', now)
    if (key === null)
      return authority.value.deactivated ? deactivated(now) : resolved(authority.value, registration, now)
    if (!key.ok) return authorityRefusal(key.error, now)
    if (key.value.did !== did || key.value.scope !== scope) {
      return refusal('INTERNAL_ERROR', now, 'core answered for another DID')
    }
    return this.#versionOf(version, key.value, authority.value, registration, now)
  }

  /** Null for the current version, which the authority returns. */
  async #rootKey(did: string, version: WantedVersion) {
    switch (version.kind) {
      case 'current':
        return null
      case 'unknown':
        return { ok: false, error: { reason: 'refused', status: 404, error: 'not_found' } } as const
      case 'epoch':
        return this.#askRootKey(did, `epoch=${version.epoch}`)
      case 'time':
        return this.#askRootKey(did, `at=${version.at}`)
    }
  }

  #askRootKey(did: string, query: string) {
    return this.#core.call({ method: 'GET', path: `/api/internal/root-key/${did}?${query}` }, rootKeyVersionSchema)
  }

  #versionOf(
    version: WantedVersion,
    key: RootKeyVersion,
    authority: Parameters<typeof resolved>[0],
    registration: StandingRegistration,
    now: number,
  ): ResultAnswer {
    if (version.kind === 'time') {
      if (version.at < registration.registeredAt) return refusal('NOT_FOUND', now, 'before its registration')
      if (key.deactivatedAt !== null && key.deactivatedAt <= version.at) return deactivated(now)
    }
    const changedAt = Math.max(registration.updatedAt, authority.updatedAt)
    // Core was asked twice: if the key was superseded in between, its answer about the version is newer.
    const isOpen = key.supersededAt === null && key.deactivatedAt === null
    const isCurrent = isOpen && key.epoch === authority.epoch && !authority.deactivated
    // What the document had besides its key is known only as of its last change.
    const isWhole = isCurrent && (version.kind !== 'time' || changedAt <= version.at)
    return isWhole ? resolved(authority, registration, now) : resolvedVersion(key, registration, now)
  }
}

/** Core reports that there is no such identity or version; any other refusal means that core is unavailable. */
function authorityRefusal(failure: InternalFault, now: number): ResultAnswer {
  if (failure.reason === 'unavailable') return refusal('INTERNAL_ERROR', now, `core: ${failure.detail}`)
  return failure.error === 'not_found'
    ? refusal('NOT_FOUND', now)
    : refusal('INTERNAL_ERROR', now, `core: ${failure.error}`)
}
