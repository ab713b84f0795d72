import { importKeys } from '@svc/client/backup'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { expect, it } from 'vitest'
import { pagesText, value, vector } from './pages/examples.ts'

const bytesOf = (hex: string) => new Uint8Array(hex.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [])

// The passphrase is stretched in JavaScript.
it('the export on the page opens with its passphrase, and has the seeds of the vectors', {
  timeout: 60_000,
}, async () => {
  const passphrase = 'correct horse battery staple'
  expect(pagesText).toContain(`with the passphrase \`${passphrase}\``)
  const { identity, devices, recovery } = await importKeys(value('key-export'), passphrase)
  const seeds = { signing: bytesOf(vector('signingSeedHex')), kem: bytesOf(vector('kemSeedHex')) }
  expect(identity?.revealSeeds()).toEqual(seeds)
  expect([identity?.did, devices, recovery]).toEqual([vector('did'), [], null])
  expect(value('key-set')).toMatchObject({
    identity: { signingSeedB64u: encodeBase64url(seeds.signing), kemSeedB64u: encodeBase64url(seeds.kem) },
  })
})
