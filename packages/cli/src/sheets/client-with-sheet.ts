import type { Client } from '#client'
import type { Context } from '../context.ts'
import { rootNow } from './root-now.ts'
import { typedSheet } from './typed-sheet.ts'

/** Returns a client that also opens notes encrypted to a sheet. The file has the words of the sheet. */
export async function clientWithSheet(context: Context, file: string): Promise<Client> {
  const did = await context.did()
  const keys = await context.ownKeys()
  const { scope } = await rootNow(context, did, keys)
  const sheet = await typedSheet(context, file)
  return context.clientOf(keys, { sheetReaders: [await sheet.reader(scope)] })
}
