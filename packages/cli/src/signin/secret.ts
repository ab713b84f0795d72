import type { LocallyWrapped, LoggedIn } from '#client/sign-in'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asBytes, mustBeNew, writeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { KeptSignIn, passwords, signInOf } from './kept.ts'
import { wrongPassword } from './sign-in.ts'

const APPLICATION = 'svc'

/** The key comes from a login: the password alone, without the service, does not give it. */
export async function wrap(context: Context, given: Given): Promise<Result> {
  const [name, source] = [argument(given, 0), argument(given, 1)]
  const secret = await context.read(source)
  const file = context.pathOf(option(given, 'out') ?? `${source}.wrapped.json`)
  if (context.options.dryRun) return { data: { file }, text: `Would write ${file}` }
  await mustBeNew(file)
  const { session, exportKey } = await loggedIn(context, given, name)
  const { wrapLocal } = await import('#client/sign-in')
  try {
    await writeNew(file, `${JSON.stringify(wrapLocal(exportKey, APPLICATION, secret), null, 2)}\n`)
  } catch (error) {
    if (error instanceof RangeError) throw usage(error.message, 'encrypt a key with it, and the file with that key')
    throw error
  } finally {
    await session.signOut()
  }
  return { data: { file }, text: `Wrote ${file}` }
}

export async function unwrap(context: Context, given: Given): Promise<Result> {
  const [name, source] = [argument(given, 0), argument(given, 1)]
  const wrapped = (await context.readJson(source)) as LocallyWrapped
  const { session, exportKey } = await loggedIn(context, given, name)
  await session.signOut()
  const { unwrapLocal } = await import('#client/sign-in')
  const bytes = opened(() => unwrapLocal(exportKey, APPLICATION, wrapped), source)
  const { file, contentB64u, ...shown } = await asBytes(context, option(given, 'out'), bytes)
  return { data: { bytes: bytes.length, file, contentB64u }, ...shown }
}

/** Another session than that of the profile, which goes on. */
async function loggedIn(context: Context, given: Given, name: string): Promise<LoggedIn> {
  const store = await KeptSignIn.open(context)
  const password = await passwords(context, given).existing(name)
  const session = await (await signInOf(context)).logIn(name, password, { knownDevice: store.knownDevice(name) })
  if (session) return session
  throw wrongPassword()
}

function opened(open: () => Uint8Array, source: string): Uint8Array {
  try {
    return open()
  } catch {
    throw invalid(
      'not_opened',
      `${source} was not encrypted with this password`,
      'use the account that it was encrypted with; a changed password does not open it',
    )
  }
}
