/** A mutant that no test notices, and why that is right. */
export interface Survivor {
  readonly file: string
  /** What is replaced, as it stands in the file, and what takes its place. */
  readonly from: string
  readonly to: string
  /** Part of the line where it starts, if the file has the same text in other places. */
  readonly on?: string
  readonly because: string
}

/** A mutant that no test notices, with its place. */
export interface LivingMutant extends Omit<Survivor, 'because' | 'on'> {
  readonly line: number
  readonly lineText: string
  /** The innermost call with the place in its arguments, and the arguments before it; empty outside of a call. */
  readonly call: string
  readonly argumentsBefore: string
}

/** Mutants of one file that live for one reason: from what to what. */
interface SameReason {
  readonly file: string
  readonly on?: string
  readonly because: string
  readonly mutants: readonly (readonly [from: string, to: string])[]
}

const REASONS: readonly SameReason[] = [
  {
    file: 'packages/assertion/src/payload.ts',
    because: 'FORM either matches with all three groups or not at all; nothing decodes to nothing',
    mutants: [
      ['[]', '["Stryker was here"]'],
      ['!scheme || !payload || !signed', 'false'],
      ['!scheme || !payload || !signed', '(!scheme || !payload) && !signed'],
      ['!scheme || !payload', 'false'],
      ['!scheme || !payload', '!scheme && !payload'],
    ],
  },
  {
    file: 'packages/assertion/src/verify.ts',
    on: 'parsed.error.issues[0]',
    because: 'a refusal by Zod has at least one issue; the types do not say so',
    mutants: [
      ["'payload'", '""'],
      ['parsed.error.issues[0]?.path', 'parsed.error.issues[0].path'],
    ],
  },
  {
    file: 'packages/protocol/src/base/base64url.ts',
    because: 'what the runtime has and JavaScript give the same, which the tests compare; one is faster',
    mutants: [
      ['() => (Uint8Array as unknown as NativeStatics).fromBase64?.bind(Uint8Array)', '() => undefined'],
      ['!toBase64', 'true'],
      ['!fromBase64', 'true'],
    ],
  },
  {
    file: 'packages/protocol/src/base/base64url.ts',
    on: 'if (!setFromBase64) return',
    because: 'a regular expression and decoding refuse the same, which the tests compare; one is faster',
    mutants: [
      ['!setFromBase64', 'true'],
      ['!setFromBase64', 'false'],
      ['!setFromBase64', 'setFromBase64'],
    ],
  },
  {
    file: 'packages/protocol/src/base/base64url.ts',
    on: 'if (!setFromBase64) room',
    because: 'decoding to memory of its own and copying gives the same; it is slower',
    mutants: [['!setFromBase64', 'true']],
  },
  {
    file: 'packages/protocol/src/base/base64url.ts',
    because: 'what is longer than the scratch memory is decoded to memory of its own, with the same answer',
    mutants: [
      ['bytesIn(text) > scratch.length', 'true'],
      ['bytesIn(text) > scratch.length', 'bytesIn(text) >= scratch.length'],
    ],
  },
  {
    file: 'packages/protocol/src/base/base64url.ts',
    because: 'nothing returned is as false as false to every caller',
    mutants: [
      ['{\n    return false\n  }', '{}'],
      ['default:\n      return false', 'default:'],
    ],
  },
  ...['constructor(expectedDid', 'keys: readonly EpochKey[] = [],'].map((on) => ({
    file: 'packages/protocol/src/chain/chain.ts',
    on,
    because: 'no block has that text as its key',
    mutants: [['[]', '["Stryker was here"]'] as const],
  })),
  ...(
    [
      ['? this.#linkFault', 'this.#genesis && this.#head', 'this.#genesis || this.#head'],
      ['this.#genesis = block', 'block.version === 4', 'true'],
      ['|| didOf(block.scope)', 'block.version !== 4', 'false'],
      ['=== this.#genesis?.', 'this.#genesis?.ownerPublicKey', 'this.#genesis.ownerPublicKey'],
    ] as const
  ).map(([on, from, to]) => ({
    file: 'packages/protocol/src/chain/chain.ts',
    on,
    because: 'both are set by the first block, which is of version 4; the types do not say so',
    mutants: [[from, to] as const],
  })),
  {
    file: 'packages/protocol/src/chain/rotation-verification.ts',
    on: "if (key === 'nobody'",
    because: 'a signature never verifies with a text as the key',
    mutants: [
      ["key === 'nobody'", 'false'],
      ["'nobody'", '""'],
    ],
  },
  {
    file: 'workers/core/src/invites/rules.ts',
    because: 'a decision of the other kind has none of the members that are compared, so it differs anyway',
    mutants: [
      ["wanted.decision === 'approved'", 'true'],
      ["wanted.decision === 'declined'", 'true'],
    ],
  },
  {
    file: 'workers/core/src/rotation/rules.ts',
    on: "if (by === 'successor') return",
    because: 'a text has none of the rights of a device, which are what decides below; the type has to be told',
    mutants: [
      ["by === 'successor'", 'false'],
      ["'successor'", '""'],
    ],
  },
  {
    file: 'workers/core/src/rotation/rules.ts',
    on: 'const isOpen = request.deadline !== null && now',
    because: 'no time is before null, which compares as 0; the type has to be told',
    mutants: [['request.deadline !== null', 'true']],
  },
  {
    file: 'workers/did/src/resolution/rules.ts',
    because: 'split gives one piece at least; the type does not say so',
    on: "const [range = ''",
    mutants: [["''", '"Stryker was here!"']],
  },
  ...['DID_SYNTAX.exec(did)', 'parameters.map'].map((on) => ({
    file: 'workers/did/src/resolution/rules.ts',
    on,
    because: 'only the second element is read, and there is none',
    mutants: [['[]', '["Stryker was here"]'] as const],
  })),
  {
    file: 'workers/pay/src/entitlements/rules.ts',
    because: 'the two differ, as was asked just before',
    mutants: [
      ['news.asOf < grant.asOf', 'news.asOf <= grant.asOf'],
      ['news.periodEnd < grant.periodEnd', 'news.periodEnd <= grant.periodEnd'],
    ],
  },
  {
    file: 'workers/pay/src/offers/rules.ts',
    because: 'a number with a point and no digits after it is formatted as the same number',
    mutants: [['exponent === 0', 'false']],
  },
]

export const SURVIVORS: readonly Survivor[] = REASONS.flatMap(({ mutants, ...rest }) =>
  mutants.map(([from, to]) => ({ ...rest, from, to })),
)
