import type { Identity } from '#client'
import type { SheetRecord, SuccessorSheet } from '#client/recovery-words'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'

/** Reads the words of a sheet from a file (`-` is standard input) or from a person. Never prints them. */
export async function typedSheet(context: Context, file: string | undefined): Promise<SuccessorSheet> {
  return sheetOf(file === undefined ? await asked(context) : await context.readText(file))
}

/** Returns the record of a sheet whose words were just typed, from the epoch after this root key on. */
export async function recordOfTyped(
  { environment }: Context,
  sheet: SuccessorSheet,
  { scope, epoch }: Pick<Identity, 'scope' | 'epoch'>,
): Promise<SheetRecord> {
  const { recordOfSheet } = await import('#client/recovery-words')
  return recordOfSheet(sheet, { scope, epoch: epoch + 1 }, { confirmedAt: environment.now() })
}

/** Returns the sheet of these words. Errors do not repeat the words. */
export async function sheetOf(words: string): Promise<SuccessorSheet> {
  const { SuccessorSheet: Sheet } = await import('#client/recovery-words')
  try {
    return Sheet.fromWords(words)
  } catch (error) {
    if (error instanceof Error && error.name === 'RecoveryWordsError')
      throw usage(error.message, 'compare them with the paper, word by word')
    throw error
  }
}

async function asked({ environment, output }: Context): Promise<string> {
  const { isTerminal, prompts } = environment
  if (!isTerminal)
    throw locked(
      'words_missing',
      'The words of a sheet are needed, but there is no terminal to ask at',
      'pass a file with --words, or - for standard input',
    )
  const words = await output.asking(() => prompts.password('The 24 words of the sheet'))
  if (words === null) throw locked('words_missing', 'No words were given', 'run it again')
  return words
}
