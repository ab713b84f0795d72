import { defineOperation, livenessRoute } from '@svc/service'
import * as z from 'zod'
import { payRoute } from '../route.ts'
import { PAY_VERSION } from '../version.ts'

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
  livenessRoute('pay', PAY_VERSION),
]
