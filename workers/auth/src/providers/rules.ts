/**
 * How to interpret the answers of an identity provider. Pure.
 *
 * @module
 */
import type { Provider } from '@svc/protocol/auth/sign-in'

/** Entra's metadata for all tenants has a template as issuer, to be filled in with the token's own tenant. */
const TENANT = '{tenantid}'
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The last part of an authority that stands for more than one tenant. */
const MANY_TENANTS = /\/(?:common|organizations|consumers)\//
/** The tenant of all personal accounts: what `consumers` stands for, and what its metadata names. */
const PERSONAL = { authority: '/consumers/', tenant: '9188040d-6c67-4c5b-b112-36a304b66dad' } as const

export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly [claim: string]: unknown
}

export function isForManyTenants(configured: string): boolean {
  return MANY_TENANTS.test(configured)
}

/** With the template instead of its tenant. */
export function issuerTemplate(configured: string): string {
  return configured.replace(MANY_TENANTS, `/${TENANT}/`)
}

/**
 * The issuer that the metadata of a configured issuer must name. One for many tenants has the template instead of its
 * tenant, the one for personal accounts its own tenant, and nothing else may differ.
 */
export function metadataIssuer(configured: string): string {
  const template = issuerTemplate(configured)
  return configured.includes(PERSONAL.authority) ? template.replace(TENANT, PERSONAL.tenant) : template
}

/** The issuer that a token must name: for a template, that of the tenant in the token, for which the key must be valid. */
export function tokenIssuer(fromMetadata: string, claims: Readonly<Record<string, unknown>>): string | null {
  if (!fromMetadata.includes(TENANT)) return fromMetadata
  const { tid } = claims
  return typeof tid === 'string' && TENANT_ID.test(tid) ? fromMetadata.replace(TENANT, tid) : null
}

/**
 * Whether one of Entra's keys may sign for an issuer: it names that issuer, or the template of every tenant. The same key
 * set contains other tenants' keys, whose signatures are valid too.
 */
export function maySignFor(keyIssuer: unknown, template: string, issuer: string): boolean {
  return keyIssuer === undefined || keyIssuer === template || keyIssuer === issuer
}

/**
 * Whether the provider vouches for an e-mail address. Microsoft lets tenants put any address into their tokens; only
 * `xms_edov` says that the tenant owns the domain.
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

/** RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6: what a provider may say instead of an answer. */
const ERROR_CODES: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
])

/** For the log: a code of the standards, and no text that came with the request. */
export function errorCodeOf(sent: string): string {
  return ERROR_CODES.has(sent) ? sent : 'another error'
}

/** Whether the person decided against it. Every other error is a fault of the provider, or of how it is set up. */
export function isByPerson(error: string): boolean {
  return error === 'access_denied'
}

/** Compared as a whole: a prefix would let `https://app.example.evil` through. */
export function isReturnUrl(allowed: readonly string[], url: string): boolean {
  return allowed.includes(url)
}
