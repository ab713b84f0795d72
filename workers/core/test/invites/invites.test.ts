import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { anonymous, CORE, send, sendWith } from '../harness.ts'
import { sweepAt } from '../ipfs/ipfs.fixture.ts'
import {
  errorsIn,
  freshAddress,
  GOOD,
  headingIn,
  inviteRead,
  listed,
  openPage,
  storedFor,
  submit,
} from './invites.fixture.ts'

const DAY_MS = 24 * 3_600_000
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
  'script-src https://challenges.cloudflare.com; frame-src https://challenges.cloudflare.com'

describe('the page to request an invitation', () => {
  it('is an HTML form that cannot be stored, framed or scripted', async () => {
    const page = await openPage()
    expect(page.status).toBe(200)
    expect(headingIn(page)).toBe('Request an invitation')
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(page.html).toContain('<form method="post" action="/invite-request" novalidate>')
    expect(page.html).not.toContain('<script')
  })

  it('answers HEAD without a body', async () => {
    const response = await send(new Request(`${CORE}/invite-request`, { method: 'HEAD' }))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toBe('')
  })

  it('accepts a request and stores the input', async () => {
    const page = await submit({ ...GOOD, email: ' First@Example.org ', name: ' Ada ', reason: 'one\r\ntwo\r\n' })
    expect(page.status).toBe(200)
    expect(headingIn(page)).toBe('Your request was received')
    expect(page.headers.get('content-security-policy')).toBe(POLICY)
    expect(await storedFor('first@example.org')).toEqual([
      { email: 'first@example.org', name: 'Ada', reason: 'one\ntwo' },
    ])
  })

  it('gives a repeated address the same answer as a new one', async () => {
    const first = await submit({ ...GOOD, email: 'twice@example.org', reason: 'the first' })
    const second = await submit({ ...GOOD, email: 'TWICE@example.org', reason: 'the second' })
    expect({ status: second.status, html: second.html }).toEqual({ status: first.status, html: first.html })
    expect(await storedFor('twice@example.org')).toMatchObject([{ reason: 'the first' }])
  })

  it.each(['Ada.Spelled@gmail.com', 'adaspelled+two@googlemail.com'])(
    'keeps one request for a mailbox, however its address is spelled: %s',
    async (email) => {
      await submit({ ...GOOD, email: 'adaspelled@gmail.com', reason: 'the first' })
      expect(headingIn(await submit({ ...GOOD, email, reason: 'another' }))).toBe('Your request was received')
      expect(await storedFor(email)).toEqual([{ email: 'adaspelled@gmail.com', name: GOOD.name, reason: 'the first' }])
    },
  )

  it('says how long what is written there is kept', async () => {
    const { html } = await openPage()
    expect(html).toContain('encrypted, for 90 days, or for 30 days after we have decided. Then we delete it.')
    const { html: received } = await submit({ ...GOOD, email: 'told@example.org' })
    expect(received).toContain('If nothing has come after 90 days, we have deleted')
  })

  it('accepts one of twenty concurrent requests with one address', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, () => submit({ ...GOOD, email: 'racer@example.org' })))
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await storedFor('racer@example.org')).toHaveLength(1)
  })
})

describe('a request that was accepted', () => {
  it('is read by the operator, oldest first, and by nobody else', async () => {
    const before = await listed()
    for (let i = 0; i < 103; i++) await submit({ ...GOOD, email: `reader${i}@example.org` })
    const found = (await listed()).slice(before.length)
    expect(found.map(({ email }) => email)).toEqual(Array.from({ length: 103 }, (_, i) => `reader${i}@example.org`))
    const requestedAt = found[0]?.requestedAt ?? 0
    expect(found[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      state: 'open',
      requestedAt: expect.any(Number) as unknown,
      decidedAt: null,
      forgetAt: requestedAt + 90 * DAY_MS,
      grants: null,
      email: 'reader0@example.org',
      name: GOOD.name,
      reason: GOOD.reason,
    })
    expect(new Set(found.map(({ id }) => id)).size).toBe(103)
    const refused = await inviteRead(0, new Uint8Array(32).fill(8))
    expect(refused).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    // What is recorded of a read names nobody.
    const { results } = await env.CONTROL_DB.prepare(
      "SELECT signed FROM operator_acts WHERE type = 'svc/operator-invites/v1'",
    ).all()
    expect(results.length).toBeGreaterThan(1)
    expect(JSON.stringify(results)).not.toContain('example.org')
  })

  it('is deleted after ninety days, with the personal data in it', async () => {
    await submit({ ...GOOD, email: 'old@example.org' })
    await sweepAt(Date.now() + 90 * DAY_MS - 60_000)
    expect(await storedFor('old@example.org')).toHaveLength(1)
    await sweepAt(Date.now() + 90 * DAY_MS + 60_000)
    expect(await storedFor('old@example.org')).toEqual([])
  })
})

describe('an invalid form', () => {
  it.each<[string, Record<string, string | undefined>, [string, string][]]>([
    ['no address', { email: '' }, [['email', 'Enter your e-mail address']]],
    ['no field for it', { email: undefined }, [['email', 'Enter your e-mail address']]],
    ['blanks for an address', { email: '   ' }, [['email', 'Enter your e-mail address']]],
    ['no address at all', { email: 'ada' }, [['email', 'Enter an address like name@example.org']]],
    ['two addresses', { email: 'a@example.org, b@example.org' }, [['email', 'Enter an address like name@example.org']]],
    [
      'a line break in it',
      { email: 'a@example.org\nbcc: b@example.org' },
      [['email', 'Enter an address like name@example.org']],
    ],
    ['an address too long', { email: `${'a'.repeat(250)}@example.org` }, [['email', 'At most 254 characters']]],
    ['no name', { name: '' }, [['name', 'Enter your name']]],
    ['a name too long', { name: 'x'.repeat(201) }, [['name', 'At most 200 characters']]],
    ['no reason', { reason: '\r\n ' }, [['reason', 'Say what you would like to do']]],
    ['a reason too long', { reason: 'x'.repeat(2_001) }, [['reason', 'At most 2000 characters']]],
    [
      'nothing',
      { email: '', name: '', reason: '' },
      [
        ['email', 'Enter your e-mail address'],
        ['name', 'Enter your name'],
        ['reason', 'Say what you would like to do'],
      ],
    ],
  ])('comes back for %s', async (_, changes, errors) => {
    const page = await submit({ ...GOOD, ...changes })
    expect(page.status).toBe(400)
    expect(page.headers.get('content-security-policy')).toBe(POLICY)
    expect(errorsIn(page)).toEqual(errors)
    expect(page.html).toContain('<title>There is a problem: Request an invitation</title>')
    for (const [field, text] of errors) {
      expect(page.html).toMatch(new RegExp(`id="${field}"[^>]* aria-invalid="true" aria-describedby="${field}-error"`))
      expect(page.html).toContain(`<p class="bad" id="${field}-error">${text}</p>`)
    }
    expect([...page.html.matchAll(/ aria-invalid="true"/g)]).toHaveLength(errors.length)
  })

  it('keeps the input, escaped', async () => {
    const written = `"><script>alert('x')</script>&amp;`
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;'
    const page = await submit({ email: written, name: written, reason: `\r\n${written}` })
    expect(page.status).toBe(400)
    expect(page.html).toContain(`name="email" value="${escaped}"`)
    expect(page.html).toContain(`name="name" value="${escaped}"`)
    expect(page.html).toContain(`>\n\n${escaped}</textarea>`)
    expect(page.html).not.toContain('<script')
  })

  it('is not stored', async () => {
    await submit({ ...GOOD, email: 'nameless@example.org', name: '' })
    expect(await storedFor('nameless@example.org')).toEqual([])
  })

  it('is not one with every field at its maximum length, in any script', async () => {
    const written = { name: '名'.repeat(200), reason: '由'.repeat(1_999) }
    const page = await submit({ ...GOOD, ...written, email: `${'a'.repeat(64)}@${'b'.repeat(60)}.example.org` })
    expect(page.status).toBe(200)
  })

  it('is not one with two thousand characters on many lines', async () => {
    const reason = `${'x\r\n'.repeat(999)}xx`
    expect((await submit({ ...GOOD, email: 'lines@example.org', reason })).status).toBe(200)
  })
})

describe('anything but a form', () => {
  it.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])(
    'is refused: %j',
    async (contentType) => {
      const { status, body } = await anonymous('POST', '/invite-request', 'email=a', { 'content-type': contentType })
      expect({ status, body }).toMatchObject({
        status: 415,
        body: { code: 'invalid_request', message: 'The body must be application/x-www-form-urlencoded' },
      })
    },
  )

  it('is rejected above 32 KiB, whatever length it declares', async () => {
    const type = 'application/x-www-form-urlencoded'
    const atCap = await anonymous('POST', '/invite-request', `reason=${'x'.repeat(32 * 1024 - 7)}`, {
      'content-type': type,
    })
    expect(atCap.status).toBe(400)
    const above = await anonymous('POST', '/invite-request', `reason=${'x'.repeat(32 * 1024 - 6)}`, {
      'content-type': type,
    })
    expect(above).toMatchObject({ status: 413, body: { code: 'invalid_request' } })
  })

  it('shows the form again if its bytes are not text', async () => {
    const { status } = await anonymous('POST', '/invite-request', 'email=%ff%fe&name=%C3%28&reason=%', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(status).toBe(400)
  })
})

describe('an Origin', () => {
  it('of the page itself can send the form, and nothing else', async () => {
    expect((await submit(GOOD, { headers: { origin: CORE } })).status).toBe(200)
    for (const [method, path] of [
      ['POST', '/api/pqc/verify'],
      ['GET', '/api/capabilities'],
      ['GET', '/invite-request/'],
    ] as const) {
      expect(await anonymous(method, path, undefined, { origin: CORE })).toMatchObject({
        status: 403,
        body: { error: 'cors_denied' },
      })
    }
  })

  it.each([
    'https://foreign.example',
    'null',
    'https://core.test:8443',
    'http://core.test',
    'https://core.test.foreign.example',
  ])('that is another may not: %s', async (origin) => {
    const page = await submit({ ...GOOD, email: 'forged@example.org' }, { headers: { origin } })
    expect(page.status).toBe(403)
    expect(await storedFor('forged@example.org')).toEqual([])
  })
})

describe('limits and faults', () => {
  it('an address can send five forms in 60 seconds', async () => {
    const headers = { 'cf-connecting-ip': freshAddress() }
    const statuses = new Set<number>()
    for (let i = 0; i < 11; i += 1) statuses.add((await submit({ ...GOOD, name: '' }, { headers })).status)
    expect(statuses).toEqual(new Set([400, 429]))
  })

  it('while the database is down, no request is confirmed', async () => {
    const down = { prepare: () => ({ bind: () => ({ run: () => Promise.reject(new Error('D1 is down')) }) }) }
    const page = await submit(GOOD, { fetch: sendWith({ DB: down }) })
    expect(page.status).toBe(503)
    expect(page.html).toContain('dependency_unavailable')
  })

  it('the log contains no address, name or reason', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    await submit({ ...GOOD, email: 'quiet@example.org' })
    await submit({ ...GOOD, email: 'quiet@example', name: '' })
    expect(lines).toHaveBeenCalledTimes(2)
    const logged = JSON.stringify(lines.mock.calls)
    expect(logged).toContain('/invite-request')
    for (const secret of ['quiet', 'Ada', 'engine', 'DUMMY']) expect(logged).not.toContain(secret)
  })
})
