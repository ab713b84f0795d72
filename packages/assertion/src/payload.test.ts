import { encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { alice, credentialOver, malformed, payload, payloadWith, utf8, verdictOn } from './assertion.fixture.ts'
import { devicePayload, deviceVerdictOn, laptop } from './device.fixture.ts'
import { makeAssertion, signPayload } from './make.ts'
import { parseCredential } from './payload.ts'

const credential = await signPayload(alice, payload)
const [scheme = '', rest = ''] = credential.split(' ')
const [body = '', signature = ''] = rest.split('.')
const notOne = malformed('credential')

describe('a credential', () => {
  it('is parsed into payload, bytes and signature', () => {
    const parsed = parseCredential(credential)
    expect(parsed?.claimed).toEqual(payload)
    expect(parsed?.payloadBytes).toEqual(utf8(JSON.stringify(payload)))
    expect(parsed?.signature).toHaveLength(3309)
  })

  it('accepts its scheme in any case (RFC 9110 section 11.1)', async () => {
    for (const name of ['serviceassertion', 'SERVICEASSERTION']) {
      expect((await verdictOn(`${name} ${rest}`)).ok).toBe(true)
    }
  })

  it.each([
    ['empty', ''],
    ['the scheme alone', scheme],
    ['the scheme and a space', `${scheme} `],
    ['without scheme', rest],
    ['of another scheme', `Basic ${rest}`],
    ['of a longer scheme', `ServiceAssertions ${rest}`],
    ['of a scheme that only looks the same', `\u017ferviceAssertion ${rest}`],
    ['two spaces after the scheme', `${scheme}  ${rest}`],
    ['a tab after the scheme', `${scheme}\t${rest}`],
    ['a space before', ` ${credential}`],
    ['a space after', `${credential} `],
    ['a newline after', `${credential}\n`],
    ['without signature', `${scheme} ${body}`],
    ['with an empty signature', `${scheme} ${body}.`],
    ['with an empty payload', `${scheme} .${signature}`],
    ['with a third part', `${credential}.${signature}`],
    ['two of them', `${credential}, ${credential}`],
    ['with padding', `${scheme} ${body}=.${signature}`],
    ['with a signature that has trailing bits', `${scheme} ${body}.AB`],
    ['of the other alphabet', `${scheme} ${body}.+/+/`],
  ])('is not valid: %s', async (_, header) => {
    expect(await verdictOn(header)).toEqual(notOne)
  })

  it.each([
    ['an array', '[1]'],
    ['a string', '"chain"'],
    ['null', 'null'],
    ['a number', '1'],
    ['nothing', ' '],
    ['two values', '{}{}'],
    ['a trailing comma', '{"aud":"chain",}'],
    ['single quotes', "{'aud':'chain'}"],
    ['a byte order mark', `\ufeff${JSON.stringify(payload)}`],
  ])('holds a JSON object and not %s', async (_, text) => {
    expect(await verdictOn(await credentialOver(utf8(text)))).toEqual(notOne)
  })

  it('holds UTF-8', async () => {
    const bytes = utf8(JSON.stringify(payloadWith({ note: '?' })))
    bytes[bytes.indexOf(0x3f)] = 0xff
    expect(await verdictOn(await credentialOver(bytes))).toEqual(notOne)
  })

  it('cannot pollute a prototype', async () => {
    const text = `{"__proto__":{"aud":"chain","nonce":"n"},"x":1}`
    expect(await verdictOn(await credentialOver(utf8(text)))).toEqual({ ok: false, error: { reason: 'audience' } })
  })
})

describe('a credential under the name Bearer', () => {
  const bearer = (text: unknown, signed = signature) =>
    `Bearer ${encodeBase64url(utf8(typeof text === 'string' ? text : JSON.stringify(text)))}.${signed}`
  const { nonce: _, ...withoutNonce } = payload

  it('is an assertion, in any case (RFC 9110 section 11.1)', async () => {
    for (const name of ['Bearer', 'bearer', 'BEARER']) expect((await verdictOn(`${name} ${rest}`)).ok, name).toBe(true)
  })

  it('is an assertion of a device', async () => {
    const made = await signPayload(laptop, devicePayload)
    expect(await deviceVerdictOn(made.replace(scheme, 'Bearer'))).toMatchObject({
      ok: true,
      value: { device: { deviceId: laptop.deviceId } },
    })
  })

  it('is refused like any other assertion, once it is one', async () => {
    for (const members of [{ aud: 'city' }, { nonce: '' }, { expiresAt: payload.issuedAt - 900_000 }, { htm: 'PUT' }]) {
      const made = await signPayload(alice, payloadWith(members))
      const verdict = await verdictOn(made)
      expect(verdict).toMatchObject({ ok: false })
      expect(await verdictOn(made.replace(scheme, 'Bearer'))).toEqual(verdict)
    }
  })

  it.each([
    ['a JSON Web Token', 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA'],
    ['a session', `Bearer signin_${'A'.repeat(43)}`],
    ['a signed session of two parts', bearer({ sub: '1', exp: 9_999_999_999 }, 'AAAA')],
    ['such a session with the audience of the route', bearer({ aud: payload.aud, nonce: 'n' })],
    ['an empty object', bearer({})],
    ['no JSON', bearer('abc')],
    ['an assertion of version 1 without its nonce', bearer(withoutNonce)],
    ['an assertion of version 1 for another purpose', bearer(payloadWith({ purpose: 'x' }))],
    ['an assertion of a version that there is not', bearer(payloadWith({ version: 3 }))],
    ['an assertion of version 2 without its device', bearer(payloadWith({ version: 2 }))],
    ['an assertion for nobody', bearer(payloadWith({ aud: undefined }))],
    ['an assertion with a short signature', bearer(payload, 'AAAA')],
  ])('is not valid, whatever is wrong with it, if it is %s', async (_name, header) => {
    expect(await verdictOn(header)).toEqual(notOne)
  })
})

describe('the size of a header', () => {
  it('is about 11.9 kB for a version 1 assertion without bindings', () => {
    expect(credential.length).toBeGreaterThan(11_700)
    expect(credential.length).toBeLessThan(12_000)
  })

  it('stays below 12.5 kB with every binding that the SDK sends', async () => {
    const made = await makeAssertion(alice, {
      audience: 'chain',
      method: 'GET',
      url: 'https://core.example/api/chain/blocks?from=100&limit=200&contentType=application%2Fjson',
      now: payload.issuedAt,
    })
    expect(made.length).toBeGreaterThan(credential.length)
    expect(made.length).toBeLessThan(12_500)
  })

  it('is at most 32 KiB', async () => {
    // Beside the scheme, a space, a point and 4,412 characters of signature: 21,253 bytes in base64url.
    const padded = (bytes: number) => {
      const unpadded = JSON.stringify(payloadWith({ pad: '' })).length
      return signPayload(alice, payloadWith({ pad: 'x'.repeat(bytes - unpadded) }))
    }
    const fitting = await padded(21_253)
    expect(fitting).toHaveLength(32 * 1024)
    expect((await verdictOn(fitting)).ok).toBe(true)
    const above = await padded(21_254)
    expect(above).toHaveLength(32 * 1024 + 1)
    expect(await verdictOn(above)).toEqual(notOne)
  })

  it('is checked before anything is decoded', async () => {
    expect(await verdictOn(`ServiceAssertion ${'A'.repeat(40_000)}.${encodeBase64url(new Uint8Array(3309))}`)).toEqual(
      notOne,
    )
  })
})
