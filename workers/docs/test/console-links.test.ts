import { env } from 'cloudflare:workers'
import { Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE } from './harness.ts'

/** The Worker of a deployment with this console. */
const proberWith = (CONSOLE_ORIGIN: string) =>
  new Prober({
    service,
    base: BASE,
    send: async (request) => service.app.fetch(request, { ...env, CONSOLE_ORIGIN }),
  })

const REFERENCES = ['/developer/api-core-chain', '/developer/api-core-chain.md', '/llms/api-pay.txt']

describe.each(REFERENCES)('the reference at %s', (path) => {
  it('leads to the console of the deployment', async () => {
    const { status, body } = await proberWith('https://console.svc.test').send({ method: 'GET', path })
    expect(status).toBe(200)
    expect(String(body)).toMatch(/https:\/\/console\.svc\.test\/requests#(?:core|pay)\.[A-Za-z]+/)
    expect(String(body)).not.toContain('console.invalid')
  })

  it('leads nowhere without one', async () => {
    const { body } = await proberWith('').send({ method: 'GET', path })
    expect(String(body)).not.toMatch(/console\.invalid|Open in the request explorer/)
  })
})
