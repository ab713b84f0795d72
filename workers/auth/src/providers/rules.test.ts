import { describe, expect, it } from 'vitest'
import {
  errorCodeOf,
  isByPerson,
  isReturnUrl,
  maySignFor,
  metadataIssuer,
  tokenIssuer,
  vouchesForEmail,
} from './rules.ts'

const TID = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const TEMPLATE = 'https://login.microsoftonline.com/{tenantid}/v2.0'

describe('metadataIssuer', () => {
  it.each([
    ['https://accounts.google.com', 'https://accounts.google.com'],
    ['https://login.microsoftonline.com/common/v2.0', TEMPLATE],
    ['https://login.microsoftonline.com/organizations/v2.0', TEMPLATE],
    [
      'https://login.microsoftonline.com/consumers/v2.0',
      'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    ],
    [`https://login.microsoftonline.com/${TID}/v2.0`, `https://login.microsoftonline.com/${TID}/v2.0`],
  ])('%s has metadata of %s', (configured, issuer) => {
    expect(metadataIssuer(configured)).toBe(issuer)
  })
})

describe('tokenIssuer', () => {
  it('is that of the metadata where it names one', () => {
    expect(tokenIssuer('https://accounts.google.com', { tid: TID })).toBe('https://accounts.google.com')
  })

  it('is that of the token’s tenant where the metadata has a template', () => {
    expect(tokenIssuer(TEMPLATE, { tid: TID })).toBe(`https://login.microsoftonline.com/${TID}/v2.0`)
  })

  it.each([
    undefined,
    null,
    1,
    '',
    'common',
    '{tenantid}',
    TID.toUpperCase(),
    `${TID}/../x`,
    `${TID}/v2.0#`,
    'evil.example/',
  ])('is none for the tenant %j', (tid) => {
    expect(tokenIssuer(TEMPLATE, { tid })).toBeNull()
  })
})

describe('maySignFor', () => {
  const issuer = `https://login.microsoftonline.com/${TID}/v2.0`
  it.each([
    [undefined, true],
    [TEMPLATE, true],
    [issuer, true],
    ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', false],
    [`${issuer}/`, false],
    ['', false],
    [null, false],
    [[issuer], false],
  ])('a key of %j: %s', (keyIssuer, may) => {
    expect(maySignFor(keyIssuer, TEMPLATE, issuer)).toBe(may)
  })
})

describe('vouchesForEmail', () => {
  const claims = (members: object) => ({ iss: 'https://issuer.example', sub: '1', ...members })
  it.each([
    ['google', { email: 'a@b.example', email_verified: true }, true],
    ['google', { email: 'a@b.example', email_verified: 'true' }, false],
    ['google', { email: 'a@b.example' }, false],
    ['google', { email_verified: true }, false],
    ['google', { email: '', email_verified: true }, false],
    ['microsoft', { email: 'a@b.example', email_verified: true }, false],
    ['microsoft', { email: 'a@b.example', xms_edov: true }, true],
    ['microsoft', { email: 'a@b.example', xms_edov: '1' }, true],
    ['microsoft', { email: 'a@b.example', xms_edov: '0' }, false],
    ['microsoft', { xms_edov: true }, false],
  ] as const)('%s with %j: %s', (provider, members, vouches) => {
    expect(vouchesForEmail(provider, claims(members))).toBe(vouches)
  })
})

describe('isReturnUrl', () => {
  const allowed = ['https://app.example/welcome']
  it('takes what is on the list, whole', () => {
    expect(isReturnUrl(allowed, 'https://app.example/welcome')).toBe(true)
  })
  it.each([
    'https://app.example/',
    'https://app.example/welcome/',
    'https://app.example/welcome?x',
    'https://app.example/welcome#x',
    'https://app.example.evil/welcome',
    'https://app.example@evil.example/welcome',
    'javascript:alert(1)//https://app.example/welcome',
    '//app.example/welcome',
    '',
  ])('refuses %s', (url) => {
    expect(isReturnUrl(allowed, url)).toBe(false)
  })
})

describe('an error that a provider reports', () => {
  it.each([
    ['access_denied', 'access_denied', true],
    ['server_error', 'server_error', false],
    ['temporarily_unavailable', 'temporarily_unavailable', false],
    ['canary', 'another error', false],
  ])('%s is logged as %s; by the person: %s', (sent, logged, byPerson) => {
    expect([errorCodeOf(sent), isByPerson(sent)]).toEqual([logged, byPerson])
  })
})
