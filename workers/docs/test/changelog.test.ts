import { Prober } from '@svc/service/testing'
import { expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const read = (path: string, headers = {}) => prober.send({ method: 'GET', path, headers })

it('serves the changelog of the repository as a page, whose links lead to pages', async () => {
  const { body } = await read('/developer/changelog.md')
  expect(String(body)).toMatch(/^# Changelog\n\n/)
  expect(String(body)).toMatch(/^## \[0\.1\.0\] - /m)
  expect(String(body)).toContain('\n## @svc/client\n')
  expect(String(body)).not.toMatch(/\]\((?!\/|#|https:)/)
})

it('serves it as a feed with the addresses of this host', async () => {
  const { status, body, headers } = await read('/changelog.xml')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  const feed = String(body)
  expect(feed).toContain('<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">')
  expect(feed).toContain(`<id>${BASE}/changelog.xml</id>`)
  expect(feed).toContain(`<link rel="self" type="application/atom+xml" href="${BASE}/changelog.xml"/>`)
  expect(feed).not.toContain('{origin}')
  const page = String((await read('/developer/changelog')).body)
  const entries = [...feed.matchAll(/href="[^"]+\/developer\/changelog#([^"]+)"\/>\n<content/g)].map(([, id]) => id)
  expect(entries.length).toBe([...String((await read('/developer/changelog.md')).body).matchAll(/^## \[/gm)].length)
  for (const id of entries) expect(page).toContain(` id="${id}"`)
})
