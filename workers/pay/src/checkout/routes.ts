/** The development page of the embedded provider; except on local deployments, both routes return 404. */
import { intentIdSchema } from '@svc/protocol/pay/intents'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { payRoute } from '../service.ts'
import { CHECKOUT_POLICY } from './page.ts'

const page = { status: 200, description: 'A page', contentType: 'text/html' } as const

export const showCheckout = defineOperation({
  id: 'showCheckout',
  method: 'get',
  path: '/pay/dev/checkout/{id}',
  summary: 'Show the development page to pay or decline an intent',
  description: 'Only on local deployments. No money moves.',
  auth: 'none',
  params: z.strictObject({ id: intentIdSchema }),
  answer: page,
  errors: ['not_found', 'dependency_unavailable'],
})

export const concludeCheckout = defineOperation({
  id: 'concludeCheckout',
  method: 'post',
  path: '/pay/dev/checkout',
  summary: 'Submit the development page',
  description: 'A browser form with `id` and `outcome`, which is `pay`, `decline`, or, for a paid intent, `refund`.',
  auth: 'none',
  rawBody: ['application/x-www-form-urlencoded'],
  maxBodyBytes: 1_024,
  answer: page,
  errors: ['invalid_request', 'not_found', 'dependency_unavailable'],
})

const formSchema = z.strictObject({ id: intentIdSchema, outcome: z.enum(['pay', 'decline', 'refund']) })

const respond = (html: string) =>
  new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CHECKOUT_POLICY },
  })

export const checkoutRoutes = [
  payRoute(showCheckout, async ({ params: { id }, deps, now }) => {
    const shown = await deps.checkout.page(id, now)
    if (!shown.ok) throw new ApiError('not_found')
    return respond(shown.value)
  }),
  payRoute(concludeCheckout, async ({ bytes, deps, now }) => {
    const form = formSchema.safeParse(Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes))))
    if (!form.success) throw new ApiError('invalid_request', { message: 'body: must name an intent and an outcome' })
    const shown = await deps.checkout.conclude(form.data.id, form.data.outcome, now)
    if (!shown.ok) throw new ApiError('not_found')
    return respond(shown.value)
  }),
]
