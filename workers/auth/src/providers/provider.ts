/**
 * What an identity provider is taken to have said. Pure.
 *
 * @module
 */
import type { Provider } from '@svc/protocol/sign-in'

/** Entra's metadata for all tenants names no issuer but a template, which the token's own tenant fills in. */
const TENANT = '{tenantid}'
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The last part of an authority that stands for more than one tenant. */
const MANY_TENANTS = /\/(?:common|organizations|consumers)\//
/** The one tenant that all personal accounts are in: what `consumers` stands for, and what its metadata names. */
const PERSONAL = { authority: '/consumers/', tenant: '9188040d-6c67-4c5b-b112-36a304b66dad' } as const

export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly [claim: string]: unknown
}

export function isForManyTenants(configured: string): boolean {
  return MANY_TENANTS.test(configured)
}

/** With the template in the place of its tenant. */
export function issuerTemplate(configured: string): string {
  return configured.replace(MANY_TENANTS, `/${TENANT}/`)
}

/**
 * The issuer that the metadata of a configured issuer must name. One that stands for many tenants has the template in
 * the place of its tenant, that of personal accounts their own, and nothing else may differ.
 */
export function metadataIssuer(configured: string): string {
  const template = issuerTemplate(configured)
  return configured.includes(PERSONAL.authority) ? template.replace(TENANT, PERSONAL.tenant) : template
}

/** The issuer that a token must name: of a template, that of the tenant in the token, which is then signed for. */
export function tokenIssuer(fromMetadata: string, claims: Readonly<Record<string, unknown>>): string | null {
  if (!fromMetadata.includes(TENANT)) return fromMetadata
  const { tid } = claims
  return typeof tid === 'string' && TENANT_ID.test(tid) ? fromMetadata.replace(TENANT, tid) : null
}

/**
 * Whether a key of Entra's may sign for an issuer: it names that one, or the template of every tenant. Another tenant's
 * key is among the same keys, and its signature is good.
 */
export function maySignFor(keyIssuer: unknown, template: string, issuer: string): boolean {
  return keyIssuer === undefined || keyIssuer === template || keyIssuer === issuer
}

/**
 * Whether the provider vouches for an e-mail address. Microsoft lets tenants write any address into their tokens; only
 * `xms_edov` says that the domain is the tenant's.
 */
export function vouchesForEmail(provider: Provider, claims: Claims): boolean {
  const { email, email_verified: verified, xms_edov: ownsDomain } = claims
  if (typeof email !== 'string' || email === '') return false
  switch (provider) {
    case 'google':
      return verified === true
    case 'microsoft':
      return ownsDomain === true || ownsDomain === 1 || ownsDomain === '1'
  }
}

/** Whole and exactly: a prefix would let `https://app.example.evil` through. */
export function isReturnUrl(allowed: readonly string[], url: string): boolean {
  return allowed.includes(url)
}
