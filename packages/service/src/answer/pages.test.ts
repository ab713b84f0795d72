import { describe, expect, it } from 'vitest'
import { TOY_BASE, toy, toyRoute, toyRuntime } from '../app/service.fixture.ts'
import { ALLOWED_ORIGIN, FOREIGN_ORIGIN, Prober } from '../testing/prober.ts'

const routes = [toyRoute('/form', () => new Response('a form')), toyRoute('/form/data', () => new Response('data'))]
const ALIAS = 'https://alias.test'

function proberOf(rule: 'checked' | 'required'): Prober {
  const runtime = toyRuntime()
  const setUp = () => ({ ...runtime, config: { ...runtime.config, PUBLIC_ORIGINS: [TOY_BASE, ALIAS] } })
  return new Prober({ ...toy(routes, { origins: () => rule, pages: ['/form'] }, setUp), base: TOY_BASE })
}
const statusOf = async (prober: Prober, path: string, origin: string) =>
  (await prober.send({ method: 'GET', path, headers: { origin } })).status

describe('a page of the service', () => {
  it.each(['checked', 'required'] as const)('takes its own Origin under %s, by each of its names', async (rule) => {
    const prober = proberOf(rule)
    for (const origin of [TOY_BASE, ALIAS, ALLOWED_ORIGIN]) expect(await statusOf(prober, '/form', origin)).toBe(200)
    for (const origin of [FOREIGN_ORIGIN, 'null', `${TOY_BASE}:444`, `${TOY_BASE}/`]) {
      expect(await statusOf(prober, '/form', origin), origin).toBe(403)
    }
  })

  it('is the only path that does', async () => {
    const prober = proberOf('checked')
    expect(await statusOf(prober, '/form/data', TOY_BASE)).toBe(403)
    expect(await statusOf(prober, '/nowhere', TOY_BASE)).toBe(403)
  })

  it('lets no script of another page of that Origin read it', async () => {
    const { headers } = await proberOf('checked').send({ method: 'GET', path: '/form', headers: { origin: TOY_BASE } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('vary')).toBe('Origin')
  })
})
