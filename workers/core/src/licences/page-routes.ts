import { didSchema } from '@svc/protocol/base/identity'
import { codeHash, typedCodeSchema } from '@svc/protocol/pay/codes'
import { defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import type { Services } from '../services.ts'
import { type CodeErrors, type CodeForm, codePage, PAGE_POLICY, redeemedPage } from './page.ts'
import { redeemCode } from './routes.ts'

const page = { status: 200, description: 'A page', contentType: 'text/html' } as const

export const showCodePage = defineOperation({
  id: 'showCodePage',
  method: 'get',
  path: '/activation',
  summary: 'Show the page to redeem a code',
  description: 'An application can fill in the identity of its user with the query `did`.',
  auth: 'none',
  query: z.strictObject({ did: didSchema.optional() }),
  answer: page,
})

export const redeemOnPage = defineOperation({
  id: 'redeemOnPage',
  method: 'post',
  path: '/activation',
  summary: 'Redeem the code that was typed on the page',
  description:
    'A browser form: `code`, as it was typed or pasted, and `did`. It counts with `POST /api/activation/redeem`. Errors ' +
    'are shown on the page, with 400.',
  auth: 'none',
  window: redeemCode.window,
  rawBody: ['application/x-www-form-urlencoded'],
  maxBodyBytes: 4_096,
  answer: page,
  otherAnswers: [{ status: 400, description: 'The form again, with its errors', contentType: 'text/html' }],
  errors: ['dependency_unavailable'],
})

/** Blanks and dashes of any kind, as they come with what is pasted from a letter or a mail. */
const BETWEEN = /[\s\p{Dash_Punctuation}\u00ad\u200b-\u200d\u2060\ufeff]+/gu

const formSchema = z.object({
  code: z
    .string()
    .transform((typed) => typed.replaceAll(BETWEEN, ' '))
    .pipe(typedCodeSchema),
  did: z.string().trim().pipe(didSchema),
})
const MALFORMED: Readonly<Record<keyof CodeForm, string>> = {
  code: 'Enter the sixteen letters and digits of your code',
  did: 'Enter an identity like did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh',
}

export const codePageRoutes = [
  coreRoute(showCodePage, ({ query }) => respond(codePage({ code: '', did: query.did ?? '' }, {}))),
  coreRoute(redeemOnPage, async ({ bytes, deps }) => {
    const fields = new URLSearchParams(new TextDecoder().decode(bytes))
    const form = { code: fields.get('code') ?? '', did: fields.get('did') ?? '' }
    const redeemed = await redeem(form, deps)
    return typeof redeemed === 'string' ? respond(redeemed) : respond(codePage(form, redeemed), 400)
  }),
]

/** The page that confirms it, or what is wrong with the form. */
async function redeem(form: CodeForm, { identities, licences }: Services): Promise<string | CodeErrors> {
  const parsed = formSchema.safeParse(form)
  if (!parsed.success) return malformed(parsed.error)
  const { code, did } = parsed.data
  const identity = await identities.ask(did, async (object) => object.read())
  if (identity?.deactivatedAt !== null) return { did: 'This identity does not exist: check it in your application' }
  const licence = await licences.redeem(codeHash(code), did)
  return licence ? redeemedPage(did, licence) : { code: 'This code is unknown, used or expired: check what you typed' }
}

function malformed({ issues }: z.ZodError): CodeErrors {
  const wrong = (Object.keys(MALFORMED) as (keyof CodeForm)[]).filter((name) =>
    issues.some(({ path }) => path[0] === name),
  )
  return Object.fromEntries(wrong.map((name) => [name, MALFORMED[name]]))
}

const respond = (html: string, status = 200) =>
  new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY },
  })
