import type { Context } from '../context.ts'
import { flag, type Given, option, type Result } from '../result.ts'
import { KeptSignIn, sessionOf } from './kept.ts'

export async function show(context: Context): Promise<Result> {
  const session = await (await sessionOf(context, await KeptSignIn.open(context))).read()
  const { accountId, method, hasPassword, passkeys, expiresAt } = session
  return {
    data: session,
    text: [
      `account  ${accountId}`,
      `by       ${method}, until ${new Date(expiresAt).toISOString()}`,
      `has      ${hasPassword ? 'a password' : 'no password'}, ${passkeys} passkeys`,
    ],
  }
}

export async function sessions(context: Context, given: Given): Promise<Result> {
  const session = await sessionOf(context, await KeptSignIn.open(context))
  const ended = flag(given, 'endOthers') && !context.options.dryRun ? await session.endOtherSessions() : 0
  const found = await session.sessions()
  return {
    data: { sessions: found, ended },
    text: [
      ...found.map(
        ({ sessionId, method, createdAt, isCurrent }) =>
          `${sessionId}  ${method}, since ${new Date(createdAt).toISOString()}${isCurrent ? ', this one' : ''}`,
      ),
      ...(ended > 0 ? [`${ended} were ended.`] : []),
    ],
  }
}

export async function devices(context: Context, given: Given): Promise<Result> {
  const session = await sessionOf(context, await KeptSignIn.open(context))
  const forgotten = context.options.dryRun
    ? 0
    : await forget(session, option(given, 'forget'), flag(given, 'forgetAll'))
  const found = await session.knownDevices()
  return {
    data: { devices: found, forgotten },
    text: [
      ...found.map(
        ({ deviceId, label, createdAt }) =>
          `${deviceId}  ${label ?? 'without a name'}, since ${new Date(createdAt).toISOString()}`,
      ),
      ...(forgotten > 0 ? [`${forgotten} were forgotten.`] : []),
    ],
  }
}

async function forget(
  session: Awaited<ReturnType<typeof sessionOf>>,
  one: string | undefined,
  isAll: boolean,
): Promise<number> {
  if (isAll) return session.forgetDevices()
  if (one === undefined) return 0
  await session.forgetDevice(one)
  return 1
}

export async function logOut(context: Context): Promise<Result> {
  const store = await KeptSignIn.open(context)
  const session = await sessionOf(context, store)
  if (context.options.dryRun) return { data: { signedOut: false }, text: 'Would end the session.' }
  await session.signOut()
  await store.change({ token: null })
  return { data: { signedOut: true }, text: 'The session has ended.' }
}

export async function deleteAccount(context: Context): Promise<Result> {
  const store = await KeptSignIn.open(context)
  const session = await sessionOf(context, store)
  if (context.options.dryRun) return { data: { deleted: false }, text: 'Would delete the account.' }
  await context.confirm('Delete the account with its password and passkeys?')
  await session.deleteAccount()
  await store.change({ token: null, knownDevices: {}, pending: null })
  return { data: { deleted: true }, text: 'The account is deleted.' }
}
