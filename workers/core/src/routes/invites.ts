import { defineOperation } from '@svc/service'
import { PAGE_POLICY } from '../invites/invite-page.ts'
import { coreRoute } from '../route.ts'

const HTML = 'text/html; charset=utf-8'
const page = { status: 200, description: 'A page', contentType: 'text/html' } as const

export const showInviteForm = defineOperation({
  id: 'showInviteForm',
  method: 'get',
  path: '/invite-request',
  summary: 'The page on which a person asks for an invitation',
  auth: 'none',
  answer: page,
})

/**
 * The fields of a form at their largest: 2,454 characters of up to 9 bytes each when escaped, a token of 2,048, a ticket
 * of 82, and their names.
 */
const MAX_FORM_BYTES = 32 * 1024

export const requestInvite = defineOperation({
  id: 'requestInvite',
  method: 'post',
  path: '/invite-request',
  summary: 'Ask for an invitation',
  description:
    'A form as browsers send it: `email`, `name`, `reason`, and `cf-turnstile-response`, or `ticket` and `answer` from ' +
    'a browser without scripts. What is wrong is said on the page, with 400.',
  auth: 'none',
  limit: { counter: 'requestInvite', limit: 5 },
  rawBody: ['application/x-www-form-urlencoded'],
  maxBodyBytes: MAX_FORM_BYTES,
  answer: page,
  otherAnswers: [{ status: 400, description: 'The form again, with what is to be mended', contentType: 'text/html' }],
  errors: ['dependency_unavailable'],
})

const respond = (html: string, status = 200) =>
  new Response(html, { status, headers: { 'content-type': HTML, 'content-security-policy': PAGE_POLICY } })

export const inviteRoutes = [
  coreRoute(showInviteForm, async ({ deps, now }) => respond(await deps.invites.page(now))),
  coreRoute(requestInvite, async ({ bytes, headers, deps, now }) => {
    const fields = new URLSearchParams(new TextDecoder().decode(bytes))
    const { status, html } = await deps.invites.take(fields, headers.get('cf-connecting-ip') ?? '', now)
    return respond(html, status)
  }),
]
