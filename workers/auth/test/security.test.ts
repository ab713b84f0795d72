import { env } from 'cloudflare:workers'
import { battery } from '@svc/service/testing'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'
import { redirected, SETTINGS, TestProvider } from './providers/provider.fixture.ts'

/** Sent to a provider, and back with a code. */
async function sentTo(name: 'google' | 'microsoft') {
  const { state, cookie } = await redirected(await TestProvider.stand(), name)
  return {
    path: `/api/auth/${name}/callback?code=code&state=${state}`,
    headers: { cookie },
    send: async (request: Request) => service.app.fetch(request, { ...env, ...SETTINGS }),
  }
}

battery({
  service,
  send,
  base: BASE,
  params: { passkeyId: 'AAAA' },
  consumables: { finishGoogle: () => sentTo('google'), finishMicrosoft: () => sentTo('microsoft') },
})
