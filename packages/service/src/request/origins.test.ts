import { describe, expect, it } from 'vitest'
import { corsHeaders, type OriginRule, preflightHeaders, refusesOrigin } from './origins.ts'

const ALLOWED = ['https://app.example']
const APP = 'https://app.example'
const FOREIGN = 'https://foreign.example'

describe('refusesOrigin', () => {
  it.each<[OriginRule, boolean, boolean, boolean, boolean]>([
    //             none   allowed foreign null
    ['checked', false, false, true, true],
    ['required', true, false, true, true],
    ['open', false, false, false, false],
    ['unrefused', false, false, false, false],
    ['none', false, false, false, false],
  ])('under %s', (rule, none, allowed, foreign, opaque) => {
    expect(refusesOrigin(rule, undefined, ALLOWED)).toBe(none)
    expect(refusesOrigin(rule, APP, ALLOWED)).toBe(allowed)
    expect(refusesOrigin(rule, FOREIGN, ALLOWED)).toBe(foreign)
    expect(refusesOrigin(rule, 'null', ALLOWED)).toBe(opaque)
  })

  it.each([
    `${APP}/`,
    'https://app.example:443',
    'http://app.example',
    'https://APP.example',
    'https://app.example.evil',
    '',
  ])('compares exactly: %s is on no list', (origin) => {
    expect(refusesOrigin('checked', origin, ALLOWED)).toBe(true)
  })

  it('refuses every Origin where the list is empty', () => {
    expect(refusesOrigin('checked', APP, [])).toBe(true)
  })
})

describe('corsHeaders', () => {
  const readers = (rule: OriginRule) =>
    [APP, FOREIGN, 'null', undefined].map(
      (origin) => corsHeaders(rule, origin, ALLOWED)['access-control-allow-origin'] ?? null,
    )

  it.each<[OriginRule, (string | null)[]]>([
    ['checked', [APP, null, null, null]],
    ['required', [APP, null, null, null]],
    ['unrefused', [APP, null, null, null]],
    ['open', ['*', '*', '*', '*']],
    ['none', [null, null, null, null]],
  ])('under %s let read %j', (rule, expected) => {
    expect(readers(rule)).toEqual(expected)
  })

  it('say that the answer depends on the Origin wherever it does', () => {
    for (const rule of ['checked', 'required', 'unrefused'] as const) {
      for (const origin of [APP, FOREIGN, undefined]) expect(corsHeaders(rule, origin, ALLOWED)['vary']).toBe('Origin')
    }
    expect(corsHeaders('open', APP, ALLOWED)).not.toHaveProperty('vary')
    expect(corsHeaders('none', APP, ALLOWED)).toEqual({})
  })

  it('never let credentials of a browser along', () => {
    const all = { ...corsHeaders('checked', APP, ALLOWED), ...preflightHeaders('checked', 'POST') }
    expect(Object.keys(all)).not.toContain('access-control-allow-credentials')
  })
})

describe('preflightHeaders', () => {
  it('name the methods and headers of the public contract', () => {
    const headers = preflightHeaders('checked', 'POST')
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, DELETE, OPTIONS')
    expect(headers['access-control-allow-headers']?.split(', ')).toEqual([
      'Authorization',
      'Content-Type',
      'X-Svc-Signature',
      'Idempotency-Key',
      'X-Pairing-Token',
      'X-Offer-Token',
      'X-Watch-Token',
      'X-Sign-In-Session',
    ])
    expect(preflightHeaders('none', 'GET')).toEqual({})
  })

  it('grant no more than was asked where everybody may read', () => {
    expect(preflightHeaders('open', 'GET')['access-control-allow-methods']).toBe('GET')
  })
})
