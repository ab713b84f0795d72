import { defineOperation } from '@svc/service'
import { coreRoute } from '../service.ts'
import { ANSWERS, ONCE, UNSCRIPTED } from './limits.ts'
import { PAGE_POLICY } from './page.ts'

const HTML = 'text/html; charset=utf-8'
const page = { status: 200, description: 'A page', contentType: 'text/html' } as const

export const showInviteForm = defineOperation({
  id: 'showInviteForm',
  method: 'get',
  path: '/invite-request',
  summary: 'Show the invitation request page',
  description:
    'A page for people: a form with a bot check, which works without scripts too. Without scripts the check is a ' +
    'question, and its ticket is valid from three seconds to 15 minutes after the page was loaded.',
  auth: 'none',
  answer: page,
})

/**
 * The largest possible form: 2,454 characters of up to 9 bytes each when escaped, a token of 2,048, a ticket of 115, and
 * the field names.
 */
const MAX_FORM_BYTES = 32 * 1024

export const requestInvite = defineOperation({
  id: 'requestInvite',
  method: 'post',
  path: '/invite-request',
  summary: 'Request an invitation',
  description:
    'A browser form: `email`, `name`, `reason`, and `cf-turnstile-response`, or `ticket` and `answer` from a browser ' +
    'without scripts. A ticket is answered three seconds after its page at the earliest, and spent by its first answer. ' +
    'A network (an IPv4 address, or an IPv6 /48) has ten answers in 24 hours, and all of them together leave a hundred ' +
    'requests. Errors are shown on the page, with 400.',
  auth: 'none',
  limit: { counter: 'requestInvite', limit: 5, protects: 'storage' },
  handlerWindows: [ANSWERS, ONCE, UNSCRIPTED],
  rawBody: ['application/x-www-form-urlencoded'],
  maxBodyBytes: MAX_FORM_BYTES,
  answer: page,
  otherAnswers: [{ status: 400, description: 'The form again, with its errors', contentType: 'text/html' }],
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
