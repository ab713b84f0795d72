import { payBannerSchema } from '@svc/protocol/quota'
import { defineOperation, livenessRoute } from '@svc/service'
import { payRoute } from '../route.ts'
import { PAY_VERSION } from '../version.ts'

export const readBanner = defineOperation({
  id: 'readBanner',
  method: 'get',
  path: '/',
  summary: 'Service banner, with the key that signs receipts',
  auth: 'none',
  answer: { status: 200, description: 'What this is', schema: payBannerSchema },
})

export const discoveryRoutes = [
  payRoute(readBanner, async ({ deps }) => ({
    service: 'pay' as const,
    version: PAY_VERSION,
    receiptKeyB64u: await deps.receipts.publicKey(),
  })),
  livenessRoute('pay', PAY_VERSION),
]
