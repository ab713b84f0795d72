import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, list, type Result } from '../result.ts'

const POLICIES = ['anyone', 'contacts', 'challenge'] as const

/** Who reserved which prekey. The account and its device can read it. */
export async function pool(context: Context, given: Given): Promise<Result> {
  const deviceId = argument(given, 0)
  const { keyDirectory } = await context.client()
  const { stock } = await keyDirectory.pool(deviceId)
  const reservations = []
  for await (const one of keyDirectory.allReservations(deviceId)) reservations.push(one)
  return {
    data: { deviceId, stock, reservations },
    text: [
      ...stock.map(({ oneTime, low }) => `${oneTime} prekeys are left${low ? ': few' : ''}`),
      ...reservations.map(({ requesterDid, reservedAt }) => `${new Date(reservedAt).toISOString()}  ${requesterDid}`),
    ],
  }
}

export async function allow(context: Context, given: Given): Promise<Result> {
  const typed = argument(given, 0)
  const reserve = POLICIES.find((policy) => policy === typed)
  const contacts = list(given, 'contact').map(contactOf)
  if (reserve === undefined) throw usage(`"${typed}" is not a choice`, `choose one of ${POLICIES.join(', ')}`)
  if (context.options.dryRun) return { data: {}, text: `Would let ${reserve} reserve prekeys.` }
  const passes = await Promise.all(
    contacts.map(async ({ did, pass }) => ({ did, passB64u: pass ?? (await newPass()) })),
  )
  const settings = await (await context.client()).keyDirectory.configure({ reserve, contacts: passes })
  return {
    data: { ...settings, passes },
    text: [
      `${reserve}, with ${settings.contacts.length} contacts`,
      ...passes.map(({ did, passB64u }) => `${did}=${passB64u}`),
      ...(passes.length === 0 ? [] : ['Keep these, and give each contact the part after =, in an encrypted message.']),
    ],
  }
}

/** `did` for a new contact, and `did=pass` for one that has a pass. */
function contactOf(typed: string): { readonly did: string; readonly pass: string | undefined } {
  const [did = '', pass] = typed.split('=')
  return { did, pass }
}

const newPass = async () => (await import('#client/functions')).makeContactPass()
