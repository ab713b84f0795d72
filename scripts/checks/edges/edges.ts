/**
 * The edges to people's files, passwords and terminals, and to keyed names. What crosses one goes through one function, because what each
 * caller does by itself is done wrong somewhere, in silence.
 *
 * @module
 */
interface Edge {
  /** What to use instead. */
  readonly rule: string
  readonly pattern: RegExp
  readonly files: RegExp
  /** Where the one function is. */
  readonly except: RegExp
}

const PROGRAMS = /^(?:packages\/(?:cli|client|console)\/src|examples)\//
const CLIENT_TEXT = /^packages\/client\/src\/text\//

const EDGES: readonly Edge[] = [
  {
    rule: 'bytes become text by `textOf` of @svc/client/text, which refuses what it cannot read',
    pattern: /new TextDecoder\(|\.toString\('utf-?8'\)|TextDecoderStream/,
    files: PROGRAMS,
    except: CLIENT_TEXT,
  },
  {
    rule: 'files are read as bytes, and become text by `textOf` of @svc/client/text',
    pattern: /\breadFile(?:Sync)?\([^)]*(?:'utf-?8'|encoding)|\b(?:file|blob)\.text\(\)|readAsText\(/i,
    files: PROGRAMS,
    except: CLIENT_TEXT,
  },
  {
    rule: 'passwords and passphrases become a `Secret` by `secretOf` of @svc/client/text, and in no other way',
    pattern: /\bas (?:unknown as )?Secret\b|\.normalize\(/,
    files: PROGRAMS,
    except: /^packages\/client\/src\/text\/secret\.ts$/,
  },
  {
    rule: 'OPAQUE is used by packages/client/src/auth/opaque.ts alone, whose functions take a `Secret`',
    pattern: /'@serenity-kit\/opaque'/,
    files: PROGRAMS,
    except: /^packages\/client\/src\/auth\/opaque\.ts$/,
  },
  {
    rule: 'scrypt is used by packages/client/src/backup/key-lock.ts alone, which takes a `Secret`',
    pattern: /\/scrypt\.js'|\bscrypt(?:Sync)?\(/,
    files: PROGRAMS,
    except: /^packages\/client\/src\/backup\/(?:key-lock|native-scrypt)\.ts$/,
  },
  {
    rule: 'age takes passphrases in packages/cli/src/keys/sealed-file.ts alone, which takes a `Secret`',
    pattern: /\.(?:add|set)Passphrase\(/,
    files: PROGRAMS,
    except: /^packages\/cli\/src\/keys\/sealed-file\.ts$/,
  },
  {
    rule: 'commands write through packages/cli/src/terminal.ts, which shows what a terminal would obey',
    pattern: /process\.std(?:out|err)\.write|console\.(?:log|error|warn|info)\(|\bwriteSync\(/,
    files: /^packages\/cli\/src\//,
    except: /^packages\/cli\/src\/process-environment\.ts$/,
  },
  {
    rule: 'a row under a keyed name is looked up by all its versions: `IN (SELECT value FROM json_each(?))` with `everyName`',
    pattern: /(?<!SET )\b(?:registrant|claimant|subject_hash|identifier_hash) = \?/,
    files: /^workers\/(?:auth|provenance)\/src\//,
    except: /^$/,
  },
  {
    rule: 'names under the versions of a seed are made by `names` of KeyedMacs, and `newest` is for what its holder presents',
    pattern: /[mM]acs\.newest\(|\$\{version\}\.\$\{/,
    files: /^(?:workers|packages)\/[a-z]+\/src\//,
    except:
      /^(?:packages\/service\/src\/auth\/keyed-macs|workers\/core\/src\/(?:rendezvous\/offer-code|invites\/question))\.ts$/,
  },
  {
    rule: 'what strangers wrote is printed by `visibleJsonOf` or `visibleLineOf` of @svc/client/text',
    pattern: /console\.(?:log|error)\((?:JSON\.stringify|await response\.text)/,
    files: /^scripts\/operations\//,
    except: /^$/,
  },
]

/** What a file does by itself at an edge, one line each. Tests may. */
export function edgeFaults(file: string, text: string): string[] {
  if (/\.(?:test|fixture)\.tsx?$/.test(file)) return []
  return EDGES.flatMap(({ rule, pattern, files, except }) => {
    if (!files.test(file) || except.test(file)) return []
    return text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${rule}`] : []))
  })
}
