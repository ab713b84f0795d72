import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAuthenticator, sdkBundle, Visit } from './browser.fixture.ts'

/** Set by the bundle for the page. */
declare const sdk: Pick<typeof import('@svc/client'), 'Identity'> &
  typeof import('@svc/client/browser') &
  typeof import('@svc/client/signers')

let visit: Visit
let bundle = ''
beforeAll(async () => {
  bundle = await sdkBundle('index.ts', 'browser/browser.ts', 'signers.ts')
  visit = await Visit.begin()
}, 60_000)
afterAll(() => visit.end())

async function open(): Promise<Page> {
  const page = await visit.newPage({ bypassCSP: true })
  await page.goto(`${visit.platform.consoleUrl}/config.json`)
  await page.addScriptTag({ content: bundle })
  return page
}

/** The page again, whose memory is empty. */
async function again(page: Page): Promise<void> {
  await page.reload()
  await page.addScriptTag({ content: bundle })
}

const passkey = { application: 'Test', userName: 'alice' }

describe('keys in IndexedDB', () => {
  it('are opened by the passkey that encrypted them, after a reload, and by no other', async () => {
    const page = await open()
    await addAuthenticator(page)
    const did = await page.evaluate(async (about) => {
      const identity = await sdk.Identity.create()
      await new sdk.IndexedDbKeys('alice').save({ identity }, await sdk.createPasskeyKey(about))
      return identity.did
    }, passkey)
    await again(page)
    const found = await page.evaluate(async (about) => {
      const keys = new sdk.IndexedDbKeys('alice')
      const lockedBy = await keys.lockedBy()
      if (lockedBy === null || lockedBy === 'passphrase') return lockedBy
      const own = await sdk.passkeyKey(lockedBy.credentialIdB64u)
      const same = await sdk.passkeyKey(lockedBy.credentialIdB64u)
      const other = await sdk.createPasskeyKey(about)
      const reasonOf = (lock: Parameters<typeof keys.load>[0]) =>
        keys.load(lock).then(
          () => 'opened',
          (error: { readonly reason: string }) => error.reason,
        )
      return {
        did: (await keys.load(own))?.identity?.did,
        isStable: own.prf.join() === same.prf.join(),
        wrong: [
          await reasonOf(other),
          await reasonOf({ ...other, credentialIdB64u: own.credentialIdB64u }),
          await reasonOf('a passphrase'),
        ],
      }
    }, passkey)
    expect(found).toEqual({ did, isStable: true, wrong: ['not_opened', 'not_opened', 'not_opened'] })
  })

  it('are not opened if the passkey is gone, or has no PRF', async () => {
    const page = await open()
    const { cdp, authenticatorId } = await addAuthenticator(page)
    const id = await page.evaluate(async (about) => (await sdk.createPasskeyKey(about)).credentialIdB64u, passkey)
    const reasonOf = (credentialIdB64u: string | null) =>
      page.evaluate(
        async ([about, one]) =>
          (one === null ? sdk.createPasskeyKey(about) : sdk.passkeyKey(one)).then(
            () => 'opened',
            (error: { readonly reason: string }) => error.reason,
          ),
        [passkey, credentialIdB64u] as const,
      )
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    expect(await reasonOf(id)).toBe('refused')
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    await addAuthenticator(page, { hasPrf: false })
    expect(await reasonOf(null)).toBe('unsupported')
  })

  it('are opened by a passphrase, and gone after `delete`', async () => {
    const page = await open()
    await page.evaluate(async () => {
      const identity = await sdk.Identity.create()
      await new sdk.IndexedDbKeys().save({ identity }, 'correct horse')
    })
    await again(page)
    const found = await page.evaluate(async () => {
      const keys = new sdk.IndexedDbKeys()
      const lockedBy = await keys.lockedBy()
      const wrong = await keys.load('wrong').catch((error: { readonly reason: string }) => error.reason)
      const right = typeof (await keys.load('correct horse'))?.identity?.did
      await keys.delete()
      const after = [await keys.load('correct horse'), await keys.lockedBy()]
      await keys.close()
      return { lockedBy, wrong, right, after }
    })
    expect(found).toEqual({ lockedBy: 'passphrase', wrong: 'not_opened', right: 'string', after: [null, null] })
  })

  it('can be key pairs of WebCrypto where the browser has them, and otherwise it says so', async () => {
    const page = await open()
    const made = await page.evaluate(async () => {
      if (!sdk.supportsWebCryptoKeys())
        return sdk.generateWebCryptoKeys().catch((error: { readonly reason: string }) => error.reason)
      await new sdk.IndexedDbStore('pairs').set('pairs', await sdk.generateWebCryptoKeys())
      return 'made'
    })
    expect(['made', 'unavailable']).toContain(made)
    if (made === 'unavailable') return
    await again(page)
    const signed = await page.evaluate(async () => {
      const pairs = (await new sdk.IndexedDbStore('pairs').get('pairs')) as Awaited<
        ReturnType<typeof sdk.generateWebCryptoKeys>
      >
      const identity = await sdk.Identity.fromSigner(await sdk.webCryptoSigner(pairs.signing))
      const message = { realm: 'https://core.test', audience: 'a', content: 'b' }
      return (await identity.signMessage(message)).statement.text
    })
    expect(signed).toBe('b')
  })
})
