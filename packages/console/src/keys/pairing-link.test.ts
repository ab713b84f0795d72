import { expect, it } from 'vitest'
import { pairingText, pairingUrl, parsePairing } from './pairing-link.ts'

const link = { code: 'ABCD-1234', token: 'a_b-c', did: `did:svc:${'A'.repeat(32)}` }

it('a pairing is read from its text and from its address', () => {
  expect(parsePairing(`  ${pairingText(link)}\n`)).toEqual(link)
  expect(parsePairing(pairingUrl('https://console.example', link))).toEqual(link)
})

it.each(['', 'ABCD-1234', 'a.b', `a.b.${link.did}.c`, 'a.b.did:svc:short', `.b.${link.did}`])(
  '“%s” is not a pairing',
  (text) => {
    expect(parsePairing(text)).toBeNull()
  },
)
