/** Lighthouse in Chromium, as a phone on a slow network and as a desk. */
import { Client, Identity } from '@svc/client'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { type Audited, Lighthouse } from './audit.fixture.ts'

const MIN_PERFORMANCE = 95
/** Another program on the machine takes time from a page. It does not make one faster. */
const MAX_RUNS = 3
const MAX_MS = 900_000

const { consoleUrl, urls } = sharedPlatform()
/** Search engines are to leave the console alone. */
const CONSOLE = { accessibility: 100, 'best-practices': 100 }
const DOCS = { ...CONSOLE, seo: 100 }
const PAGES = [
  ['the console', `${consoleUrl}/`, CONSOLE],
  ['the verifier', `${consoleUrl}/verify/`, CONSOLE],
  ['the log', `${consoleUrl}/log`, CONSOLE],
  ['an identity', `${consoleUrl}/did/${await registered()}`, CONSOLE],
  ['the requests', `${consoleUrl}/requests`, CONSOLE],
  ['the sign-in', `${consoleUrl}/sign-in`, CONSOLE],
  ['a new account', `${consoleUrl}/create-account`, CONSOLE],
  ['a reply', `${consoleUrl}/reply`, CONSOLE],
  ['a page of the documentation', `${urls.docs}/developer/quickstart`, DOCS],
] as const

/** The DID of an identity whose document anybody can read. */
async function registered(): Promise<string> {
  const identity = await Identity.create()
  const headers = { 'cf-connecting-ip': freshAddress() }
  const client = await Client.connect({ core: urls.core, origin: consoleUrl, identity, headers })
  await client.chain.genesis()
  await client.did.register()
  return identity.did
}

const browser = await Lighthouse.begin()
afterAll(() => browser.end())

describe.each(['desktop', 'mobile'] as const)('on a %s', (device) => {
  it.each(PAGES)('%s is accessible and well made', { timeout: MAX_MS }, async (_, url, expected) => {
    const { scores, lost } = await browser.audit(url, device)
    expect(scores, lost.join('\n')).toMatchObject(expected)
  })

  it.for(PAGES)('%s is fast', { timeout: MAX_MS }, async ([, url], { skip }) => {
    const isFast = ({ scores }: Audited) => (scores['performance'] ?? 0) >= MIN_PERFORMANCE
    const runs: Audited[] = []
    while (!runs.some(isFast) && runs.length < MAX_RUNS) runs.push(await browser.audit(url, device))
    const judged = runs.filter((run) => isFast(run) || run.wasUndisturbed)
    skip(judged.length === 0, 'the machine had no time for the page, which says nothing about the page')
    const told = judged.map(({ scores, lost }) => [scores['performance'], ...lost].join('\n')).join('\n\n')
    expect(judged.some(isFast), told).toBe(true)
  })
})
