import { livenessSchema } from '@svc/protocol/health'
import { defineOperation } from '@svc/service'
import * as z from 'zod'
import { payRoute } from '../route.ts'
import { PAY_VERSION } from '../version.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: livenessSchema, bare: true },
})

export const readBanner = defineOperation({
  id: 'readBanner',
  method: 'get',
  path: '/',
  summary: 'Service banner',
  auth: 'none',
  answer: {
    status: 200,
    description: 'What this is',
    schema: z.strictObject({ service: z.literal('pay'), version: z.string() }).meta({ id: 'PayBanner' }),
  },
})

export const discoveryRoutes = [
  payRoute(readBanner, () => ({ service: 'pay' as const, version: PAY_VERSION })),
  payRoute(readHealth, ({ deps, now }) => ({
    status: 'ok' as const,
    service: 'pay',
    version: PAY_VERSION,
    commit: deps.config.COMMIT,
    timestamp: now,
  })),
]
