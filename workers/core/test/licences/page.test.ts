import { describe, expect, it } from 'vitest'
import { CORE, freshAddress, freshCaller, send, sendWith } from '../harness.ts'
import { errorsIn, headingIn } from '../invites/invites.fixture.ts'
import { freshCode, issued, redeem } from './licences.fixture.ts'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
const UNKNOWN = `did:svc:${'x'.repeat(32)}`

async function pageOf(response: Response) {
  return { status: response.status, html: await response.text(), headers: response.headers }
}
const open = async (query = '') => pageOf(await send(new Request(`${CORE}/activation${query}`)))

/** Sends the form as a browser does, with the Origin of the page. */
async function submit(
  fields: Record<string, string>,
  { fetch = send, address = freshAddress(), origin = CORE } = {},
): Promise<Awaited<ReturnType<typeof pageOf>>> {
  const headers = { 'cf-connecting-ip': address, origin }
  return pageOf(
    await fetch(new Request(`${CORE}/activation`, { method: 'POST', headers, body: new URLSearchParams(fields) })),
  )
}

describe('the page that takes codes', () => {
  it('is an HTML form that cannot be stored, framed or scripted', async () => {
    const page = await open()
    expect(page.status).toBe(200)
    expect(headingIn(page)).toBe('Redeem a code')
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
    })
    expect(page.html).toContain('<form method="post" action="/activation" novalidate>')
    expect(page.html).not.toContain('<script')
  })

  it('names the identity that an application opens it for, and nothing else', async () => {
    const { identity } = await freshCaller()
    expect((await open(`?did=${identity.did}`)).html).toContain(`name="did" value="${identity.did}"`)
    expect((await open('?did=%22%3E%3Cscript%3E')).status).toBe(400)
    expect((await open(`?did=${identity.did}&code=AAAA`)).status).toBe(400)
  })

  it.each<[string, (code: string) => string]>([
    ['as it was issued', (code) => code],
    ['in lower case', (code) => code.toLowerCase()],
    ['without hyphens', (code) => code.replaceAll('-', '')],
    ['with spaces around and between', (code) => `  ${code.replaceAll('-', ' ')} `],
    ['with the dashes and blanks of a letter', (code) => `\t${code.replaceAll('-', '\u2013')}\u00a0\r\n`],
    ['with zeros and ones as letters', (code) => code.replaceAll('0', 'o').replaceAll('1', 'l')],
  ])('takes a code %s', async (_, typed) => {
    const { client, identity } = await freshCaller()
    const code = await issued({ tier: 'atelier', days: 3 })
    const page = await submit({ code: typed(code), did: ` ${identity.did} ` })
    expect(page.status).toBe(200)
    expect(headingIn(page)).toBe('The code was redeemed')
    expect(page.html).toMatch(new RegExp(`${identity.did} has the tier atelier, until \\d+ \\w+ \\d{4}.* UTC\\.`))
    expect(page.headers.get('content-security-policy')).toBe(POLICY)
    expect(await client.account.licence()).toMatchObject({ licensed: true, tier: 'atelier' })
  })

  it('says which field is wrong, keeps what was typed, escaped, and uses no code up', async () => {
    const { identity } = await freshCaller()
    const [code, used] = [await issued(), await issued()]
    await redeem(used, identity.did)
    const wrong = 'Enter the sixteen letters and digits of your code'
    const unusable = 'This code is unknown, used or expired: check what you typed'
    const nobody = 'This identity does not exist: check it in your application'
    const noDid = 'Enter an identity like did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh'
    const other = (await freshCaller()).identity.did
    for (const [fields, errors] of [
      [{ code: 'AAAA', did: identity.did }, [['code', wrong]]],
      [{ code, did: UNKNOWN }, [['did', nobody]]],
      [{ code, did: 'ada' }, [['did', noDid]]],
      [
        { code: '', did: '' },
        [
          ['code', wrong],
          ['did', noDid],
        ],
      ],
      [
        {},
        [
          ['code', wrong],
          ['did', noDid],
        ],
      ],
      [{ code: freshCode(), did: other }, [['code', unusable]]],
      [{ code: used, did: other }, [['code', unusable]]],
    ] as const) {
      const page = await submit(fields)
      expect(page.status).toBe(400)
      expect(errorsIn(page)).toEqual(errors)
      expect(page.html).toContain('<title>There is a problem: Redeem a code</title>')
    }
    const { html } = await submit({ code: '"><script>', did: '"><script>' })
    expect(html).toContain('name="code" value="&quot;&gt;&lt;script&gt;"')
    expect(html).not.toContain('<script')
    expect((await submit({ code, did: other })).status).toBe(200)
  })

  it('confirms the same code again for the same identity', async () => {
    const { identity } = await freshCaller()
    const fields = { code: await issued(), did: identity.did }
    const first = await submit(fields)
    expect(await submit(fields)).toMatchObject({ status: 200, html: first.html })
  })

  it('counts its tries with those of the route: ten in 60 seconds and address', async () => {
    const address = '2001:db8:ac:3::1'
    const headers = { 'cf-connecting-ip': address, 'content-type': 'application/json' }
    const body = JSON.stringify({ code: freshCode(), did: UNKNOWN })
    const replaced = sendWith({ LIMIT_10: { limit: async () => ({ success: true }) } })
    for (let i = 0; i < 5; i++) {
      await replaced(new Request(`${CORE}/api/activation/redeem`, { method: 'POST', headers, body }))
    }
    const tries = await Promise.all(
      Array.from({ length: 10 }, () => submit({ code: freshCode(), did: UNKNOWN }, { address, fetch: replaced })),
    )
    expect(tries.filter(({ status }) => status === 400)).toHaveLength(5)
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(5)
  })

  it('takes no form of another origin, and none while pay is down', async () => {
    const { identity } = await freshCaller()
    const fields = { code: await issued(), did: identity.did }
    expect((await submit(fields, { origin: 'https://elsewhere.test' })).status).toBe(403)
    const down = sendWith({ PAY: { redeem: () => Promise.reject(new Error('gone')) } })
    expect((await submit(fields, { fetch: down })).status).toBe(503)
    expect((await submit(fields)).status).toBe(200)
  })
})
