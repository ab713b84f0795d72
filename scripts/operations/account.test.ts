import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { credentialsOf } from './account.ts'
import { CloudflareApi } from './cloudflare-api.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from './local-account/fake-cloudflare.fixture.ts'
import { LocalAccount } from './local-account/local-account.fixture.ts'
import { wrangler } from './uploads/wrangler.ts'

const OTHER = 'b'.repeat(32)
let account: LocalAccount

beforeAll(async () => {
  account = await LocalAccount.open()
})
afterAll(() => account.close())
beforeEach(() => {
  vi.stubEnv('CLOUDFLARE_API_TOKEN', TOKEN)
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', undefined)
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const named = (accountId: string) => ({ ...account.deployment, accountId })

describe('the account of a deployment', () => {
  it('is the one that its file names', () => {
    expect(credentialsOf(named(ACCOUNT))).toMatchObject({ accountId: ACCOUNT, token: TOKEN })
  })

  it('is that of the environment if the file names none', () => {
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', OTHER)
    expect(credentialsOf(named('')).accountId).toBe(OTHER)
  })

  it('may be in both if they agree', () => {
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', ACCOUNT)
    expect(credentialsOf(named(ACCOUNT)).accountId).toBe(ACCOUNT)
  })

  it('is refused if they differ, and both are named', () => {
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', OTHER)
    expect(() => credentialsOf(named(ACCOUNT))).toThrow(
      `Two accounts: deployments/staging.json has accountId ${ACCOUNT}, and CLOUDFLARE_ACCOUNT_ID is ${OTHER}. ` +
        'Unset the variable, or correct the file.',
    )
  })

  it('is required, and so is a token', () => {
    expect(() => credentialsOf(named(''))).toThrow('No account: set accountId in deployments/staging.json')
    vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined)
    expect(() => credentialsOf(named(ACCOUNT))).toThrow('No credential: set CLOUDFLARE_API_TOKEN')
  })
})

describe('Wrangler', () => {
  let fake: FakeCloudflare
  beforeEach(async () => {
    fake = await FakeCloudflare.start()
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', fake.url)
  })
  afterEach(() => fake.stop())

  it('asks the account of the deployment file, and looks for no other', async () => {
    await wrangler(['d1', 'list', '--json'], new CloudflareApi(credentialsOf(named(ACCOUNT))))
    expect(fake.elsewhere).toEqual([])
  })

  it('asks the account that was checked, whatever the environment says', async () => {
    const api = new CloudflareApi(credentialsOf(named(ACCOUNT)))
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', OTHER)
    vi.stubEnv('CLOUDFLARE_API_TOKEN', 'of another')
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', 'http://127.0.0.1:9')
    await wrangler(['d1', 'list', '--json'], api)
    expect(fake.elsewhere).toEqual([])
  })
})
