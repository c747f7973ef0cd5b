// The English texts of the page. Numbers and times arrive formatted in the same language.

/** What the words of a reason may name, as texts in the same language. A fact that is unknown is ''. */
interface ReasonFacts {
  /** How much was measured, unless it stands beside the reason. */
  readonly measured: string;
  /** Whether the interval lacks a portion of the part. */
  readonly isCut?: boolean;
  /** The stretches of which too little was measured; null if the whole part is assessed or none lacks. */
  readonly lacking?: { readonly count: number; readonly of: 'hour' | '15m' } | null;
  /** The lowest level that can be recorded, with its unit. */
  readonly floor: string;
  /** How many levels are at the ceiling; 0 if windows are overloaded. */
  readonly ceilingCount: number;
  readonly ceilingText: string;
  /** The first minute with such a level or window. */
  readonly firstAtCeiling: string;
  readonly uncertainty: string;
  /** The weighting of the levels, such as `Z`. */
  readonly levelWeighting?: string;
  readonly limitWeighting?: string;
  /** The station's name in commands. */
  readonly station?: string;
}

export const en = {
  skip: 'Skip to the chart',
  noPoints: 'no points',
  leftOut: (length: string) =>
    `${length} of this interval is excluded, such as rain or wind. Only Quality includes it.`,
  noEnergy: (windows: string) =>
    `Levels are maxima of windows${windows && ` of ${windows}`}: their energy mean is not a Leq.`,
  energyOf: (station: string) => `Leq, Lden and limits: station ${station}`,
  energyNowhere: 'For Leq, Lden and limits, record without --time-weighting.',
  since: (time: string) => `since ${time}`,
  clockAhead: (length: string) => `Clock ${length} ahead`,
  states: {
    recording: 'Recording',
    silent_recorder: 'Recorder silent',
    offline: 'Recorder offline',
    empty: 'Nothing recorded yet',
    unreachable: 'No connection',
    database: 'Database unreachable',
    unavailable: 'Not available',
    unknown: '…',
  },
  faults: {
    unreachable: 'The service cannot be reached.',
    database: 'The service cannot reach its database.',
    stopping: 'The service is stopping.',
    busy: 'The service is too busy right now.',
    often: 'The service received too many requests.',
    slow: 'The answer took too long.',
    failed: 'The service has failed.',
  },
  cards: {
    now: 'now',
    night: { running: 'Tonight', ended: 'Last night' },
    day: { running: 'Today', ended: 'Last period' },
    tooLoud: (db: string) => `${db} dB too loud to last`,
    unknown: 'Unknown',
    limit: 'limit',
    measured: 'measured',
    noLimit: 'no limit set',
    noLimitNow: 'No limit applies now',
    assessed: 'assessed',
  },
  /** What made a part of the day loud. */
  causes: {
    tone: 'Tone at',
    steady: {
      low: 'Steady low sound',
      middle: 'Steady sound of middle pitch',
      high: 'Steady high sound',
      unknown: 'Steady sound',
    },
    bursts: 'Loud bursts',
    event: 'Single loud sound',
    passing: {
      low: ['low passing sound', 'low passing sounds'],
      middle: ['passing sound of middle pitch', 'passing sounds of middle pitch'],
      high: ['high passing sound', 'high passing sounds'],
      unknown: ['passing sound', 'passing sounds'],
    },
    background: 'Everything else',
  },
  verdicts: {
    over: 'over the limit',
    overAlready: 'over the limit already',
    overBy: (db: string) => `${db} dB over the limit`,
    overSoFar: (db: string) => `${db} dB over the limit so far`,
    under: 'within the limit',
    underBy: (db: string) => `${db} dB under the limit`,
    underSoFar: (db: string) => `${db} dB under the limit so far`,
    undecided: 'not decided',
  },
  /** Why a verdict is open. */
  reasons: {
    too_little_measured: ({ measured, isCut, lacking }) => {
      if (isCut) return 'this interval shows only a portion of the period';
      const of = { hour: ['hour', 'hours'], '15m': ['quarter of an hour', 'quarters of an hour'] } as const;
      if (lacking)
        return `too little was measured in ${lacking.count} ${of[lacking.of][lacking.count === 1 ? 0 : 1]}`;
      return `too little was measured${measured && ` (${measured})`}`;
    },
    at_floor: ({ floor }) => `the recorder measures nothing below ${floor}`,
    at_ceiling: ({ ceilingCount: count, ceilingText: text, firstAtCeiling }) =>
      (count === 0
        ? 'the sound was overloaded'
        : `${text} ${count === 1 ? 'level is' : 'levels are'} at the ceiling`) +
      (firstAtCeiling && `, first at ${firstAtCeiling}`),
    within_uncertainty: ({ uncertainty }) =>
      `closer to the limit than the uncertainty${uncertainty && ` of ± ${uncertainty} dB`}`,
    not_yet: () => 'the period has not ended',
    energy_of_maxima: () => 'only maxima: no Leq',
    points_removed: () => 'only sums are left',
    too_many_points: () => 'too many points above the background',
    samples: () => 'only samples: no Leq',
    other_weighting: ({ levelWeighting, limitWeighting, station }) =>
      levelWeighting
        ? `levels have weighting ${levelWeighting}, the limit ${limitWeighting}`
        : `unknown weighting: npm run station -- set ${station} --weighting ${limitWeighting}`,
    two_scales: () => 'levels have different scales',
    not_calibrated: () => 'not calibrated',
  } satisfies Record<string, (facts: ReasonFacts) => string>,
  /** How much of what its limit allows a period has used, and may still have. */
  allowance: {
    title: 'Of what the limit allows',
    times: (count: string) => `${count} times what the limit allows`,
    allowed: '│ allowed: 100 %',
    usedOf: 'used:',
    clock: (percent: string) => `│ ${percent} of the time has passed`,
    used: {
      part: (percent: string) => `${percent} of the energy that the limit allows is used`,
      hour: (percent: string) => `the loudest hour used ${percent} of the energy that the limit allows`,
      '15m': (percent: string) =>
        `the loudest quarter of an hour used ${percent} of the energy that the limit allows`,
    },
    left: {
      part: (level: string) => `at most ${level} on average from now on`,
      hour: (level: string) => `at most ${level} on average for the rest of this hour`,
      '15m': (level: string) => `at most ${level} on average for the rest of this quarter of an hour`,
    },
    passed: (time: string) => `passed at ${time} at this level`,
  },
  range: {
    name: 'Range',
    earlier: 'Earlier',
    later: 'Later',
    now: 'Now',
    live: 'Live',
    liveMeans: 'Show new points as they arrive',
    liveStands: 'The level is live, but this chart does not move',
    presets: {
      night: 'Night',
      today: 'Today',
      'last-night': 'Last night',
      'this-week': 'This week',
      year: 'Year',
    },
    dates: 'Dates',
    from: 'From',
    to: 'To',
    show: 'Show',
    bothNeeded: 'Enter both times.',
    reversed: '“From” must be before “To”.',
    ahead: '“From” must not be in the future.',
    tooLong: (days: string) => `At most ${days} days.`,
  },
  level: {
    title: 'Level',
    chart: 'Level chart',
    night: 'night',
    day: 'day',
    noData: 'no data',
    leftOut: (reason: string) => `left out: ${reason}`,
    notYet: (first: string) => `recording began ${first}`,
    keys: 'Arrows move the cursor, Shift-arrows pan, plus and minus zoom.',
    summary: (from: string, to: string, level: string) => `From ${from} to ${to}, highest level ${level}`,
    each: (unit: string, bucket: string, zone: string) =>
      `${unit}, ${bucket === '' ? 'every point' : `per ${bucket}`}, ${zone}`,
    range: (min: string, max: string) => `minimum ${min}, maximum ${max}`,
  },
  key: {
    level: 'level',
    exceeded: 'L90 to L10',
    extremes: 'minimum to maximum',
    loudest: 'loudest moment',
    limit: 'limit',
    over: 'over the limit',
    night: 'night',
    blank: 'no data',
  },
  tones: {
    title: 'Pitch',
    reading: (time: string, band: string, share: string) => `${time}, ${band}: ${share} of the points`,
    none: 'Dominant frequencies: no point has one',
    most: (band: string) => `Dominant frequencies: most often in the third octave of ${band}`,
  },
  files: {
    rows: (count: string, size: string) => `${count} rows, about ${size}`,
    failed: (status: number) => `The service answered ${status}.`,
  },
  menu: {
    page: 'Menu of the page',
    means: (name: string) => `What ${name} means`,
    copied: 'Copied',
    share: 'Share',
    report: 'Report',
    reportMeans: 'Print or save',
    language: 'Language',
    colours: 'Colours',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    zone: 'Time zone',
    ofMicrophone: (zone: string) => `${zone} (the microphone)`,
    times: (zone: string) => `All times are in ${zone}.`,
    manual: 'Manual',
    reference: 'API reference',
  },
  /** A term, a colon, and its meaning. */
  meanings: {
    leq: 'Leq: The steady level with the same sound energy as everything measured (equivalent continuous level, ISO 1996-1).',
    l10: 'L10: The level exceeded 10 % of the time: the loud moments (percentile level, ISO 1996-1).',
    l50: 'L50: The level exceeded half of the time: the median (percentile level, ISO 1996-1).',
    l90: 'L90: The level exceeded 90 % of the time: the background (percentile level, ISO 1996-1).',
    max: 'the maximum: The highest level of one recorder window: Lmax, such as LAFmax, if the recorder stores maxima, otherwise Leq. It is not a peak level (LCpeak).',
    silence: 'silence: The share of the windows below the recorder’s silence threshold.',
    dominant:
      'the dominant frequency: The frequency that was strongest most often; if several tie, the lowest.',
    points: 'points: The number of recorder windows in the interval.',
    measured: 'measured: The share of the interval, up to now, that has no gaps.',
    lden: 'Lden: Day, evening and night as one level: evening counts 5 dB more, night 10 dB (Directive 2002/49/EC, Annex I). It is defined as a yearly average.',
    event:
      'events: The sounds of “Why” that stand out from the background by 10 dB for at least 5 s: single ones, bursts of three minutes or more, and the passing rest. The maximum is the highest window, the pitch the third octave with the most energy.',
    pitch:
      'pitch: The third octave of the strongest frequency. The darker, the larger the share of the points.',
    limits:
      'limits: Each period is assessed by its Leq or, if so set, that of its loudest hour or quarter of an hour, plus any penalty. It is over as soon as its measured sound exceeds what the limit allows for all of it. Otherwise it is not decided if too little was measured, if levels at the recorder’s floor or ceiling leave it open, or if the level is closer to the limit than the uncertainty. Only whole periods that have ended are counted. “At this level” means the level of the last ten minutes.',
    why: 'why: Episodes of steady sound, tones, bursts, single events and passing sounds, most energy first. A share is the energy above the background, in percent of what the limit allows. No spectrum is stored: a tone here is no finding of audible tonality, and no source is guessed.',
  },
  figures: {
    title: 'Figures',
    maximum: 'Maximum',
    silence: 'Silence',
    dominant: 'Dominant',
    points: 'Points',
  },
  why: {
    title: 'Why',
    titleOf: (part: string) => `Why: ${part}`,
    titleOfSeveral: 'Why: what came back',
    none: 'Nothing was measured.',
    nothing: 'Nothing stood out.',
    tooLong: 'Choose an interval of at most 31 days.',
    rest: (level: string) => `Background${level && ` ${level}`} and the rest`,
    times: (count: string) => `${count} ×`,
    upTo: (share: string) => `up to ${share}`,
    also: (days: string) => `also ${days}`,
    most: (level: string) => `up to ${level}`,
    first: (count: string) => `the first ${count}`,
    without: (causes: string, db: string) => `Without ${causes}: ${db} dB, within the limit`,
  },
  tables: { title: 'Tables' },
  nights: {
    title: (count: number) => `${count === 7 ? 'Seven' : count} nights, hour by hour`,
    against: 'dB against the limit:',
    levels: (unit: string) => `Leq of each hour and night, ${unit}`,
    /** Four of the colours. */
    ranges: ['under −10', '−5 to 0', '0 to +3', 'over +9'],
    noData: 'no data',
    night: 'Night',
    over: (count: number, all: number) =>
      `${count} of ${all} ${all === 1 ? 'night' : 'nights'} over the limit`,
  },
  limits: {
    title: 'Limits',
    mixed:
      'These levels were recorded in different ways, so no limit applies to all. Choose an interval within one recording period.',
    caption: (unit: string, assessed: string) => `In ${unit}; assessed: ${assessed}`,
    columns: [
      'Time of day',
      'Limit',
      'Leq',
      'Assessed',
      'Verdict',
      'Measured',
      'Periods over',
      'Minutes over',
      'Events',
    ],
    assessed: { part: 'each period', hour: 'the loudest hour', '15m': 'the loudest quarter of an hour' },
    penalty: (db: string) => ` (+ ${db})`,
    most: (db: string) => `, max ${db}`,
    of: (part: string, all: string) => `${part} of ${all}`,
    notCounted: 'not counted',
    byPeriod: 'Period by period',
    partsColumns: ['Period', 'Limit', 'Leq', 'Assessed', 'Verdict', 'Measured', 'Minutes over'],
    noneWhole: 'no whole period',
    notComparable: 'not comparable',
    compared: (level: string, limit: string) => `${level} against ${limit}`,
    loudest: {
      part: (times: string) => ` (the loudest period, from ${times})`,
      hour: (times: string) => ` (the loudest hour, ${times})`,
      '15m': (times: string) => ` (the loudest quarter of an hour, ${times})`,
    },
    nothingAssessed: 'too little was measured to assess',
    withPenalty: (db: string) => `including a penalty of ${db} dB`,
    uncertainty: (db: string) => `uncertainty ${db ? `± ${db} dB` : 'not stated'}`,
    maxima: (level: string, limit: string) => `highest maximum ${level} against ${limit}`,
    overMinutes: (count: number, text: string) => ` in ${text} ${count === 1 ? 'minute' : 'minutes'}`,
    inPeriods: {
      over: (count: string, all: string) => `over in ${count} of ${all} periods`,
      undecided: (count: string, all: string) => `${count} of ${all} periods not decided`,
    },
    measured: (percent: string) => `measured ${percent}`,
  },
  events: {
    title: 'Events',
    loudest: 'Loudest events',
    order: 'Order of the events',
    orders: { time: 'newest', level: 'loudest' },
    none: (since: string) => `No noise events ${since || 'in this interval'}.`,
    caption: (shown: string, count: number, all: string, unit: string) =>
      `${shown} of ${all} ${count === 1 ? 'event' : 'events'}, ${unit}`,
    columns: (zone: string, maximum: string) => [`Start, ${zone}`, 'Duration', maximum, 'Pitch', 'Kind'],
    kinds: { bursts: 'bursts', event: 'single', passing: 'passing' },
  },
  quality: {
    title: 'Quality',
    coverage: (percent: string) => `Coverage ${percent}`,
    withExcluded: ', excluded time included',
    noGaps: 'no gaps',
    gaps: (count: number, text: string, length: string) =>
      `${text} ${count === 1 ? 'gap' : 'gaps'}, ${length} in total`,
    atFloor: (percent: string) => `${percent} at the recorder’s floor`,
    atCeiling: (percent: string) => `${percent} at its ceiling: true levels may be higher`,
    overload: (percent: string) => `${percent} overloaded`,
    overloadUnknown: 'overload not reported by the recorder',
    noLevel: (percent: string) => `${percent} without a level`,
    repeated: (count: string) => `points with a repeated time: ${count}`,
    ahead: (count: number, text: string, until: string) =>
      `${text} ${count === 1 ? 'point' : 'points'} dated ahead, up to ${until}`,
    longest: (shown: number, all: string) => `the ${shown} longest of ${all}`,
    columns: ['Gap from', 'to', 'Length'],
    leftOut: 'Excluded',
    exclusionsColumns: ['Excluded', 'Length', 'Reason'],
    newest: (shown: number, all: string) => `the ${shown} newest of ${all}`,
  },
  days: {
    title: 'Lden',
    caption: (zone: string, unit: string) =>
      `Days in ${zone}: day from 7:00, evening from 19:00, night from 23:00; in ${unit}${unit === 'dB(A)' ? '' : ', not A-weighted: only dB(A) gives an Lden to quote'}`,
    last: (shown: number, all: string) => `the last ${shown} of ${all}; `,
    columns: ['Day', 'Lday', 'Levening', 'Lnight', 'Lden', 'Leq', 'Measured'],
    whole: (days: number) => (days === 1 ? '1 whole day' : `${days} whole days`),
    tooShort: 'Choose an interval of more than a day.',
    noneWhole: 'No day is complete yet, so there is no Lden to quote.',
    quote: 'The last line covers only whole days: quote that one.',
    measured:
      'Measured is the share of day, evening and night that has points. “≤” marks levels that may be lower (sound at the recorder’s floor), “≥” levels that may be higher (at its ceiling, or overloaded).',
  },
  calibrate: {
    text: 'Levels are relative to full scale: they compare only with each other, not with a limit. To calibrate, hold a calibrator to the microphone, record it, and run',
    more: 'More',
  },
  notices: {
    retry: 'Try again',
    retryAll: 'Try everything again',
    byItself: 'This page retries by itself.',
    keyWrong: 'A key contains only letters, digits and - . _ ~ + /.',
    keyNeeded: 'This service needs a key.',
    keyUnknown: 'The service does not know this key.',
    keyKept: 'This browser stores it.',
    key: 'Key',
    useKey: 'Use it',
    empty: 'Nothing is recorded yet. Start a recorder, for example',
    emptyThen: 'This page shows levels as they arrive.',
    down: (time: string, reason: string) =>
      `The recorder has been down since ${time}${reason && ` (${reason})`}. The service restarts it by itself.`,
    counting: (points: string) => `Computing statistics for ${points}.`,
    stalled: (points: string) => `Statistics for ${points} are not being computed; see the service’s log.`,
    exact: 'Meanwhile, figures are exact but take longer.',
    allPoints: 'all points',
    minutesOf: (minutes: string) => `${minutes} minutes`,
    noPoints: (from: string, to: string, newest: string) =>
      `There are no points from ${from} to ${to}. The newest is from ${newest}.`,
    showNewest: 'Show the newest',
    periods: (count: number) => `The points of this interval were recorded in ${count} different ways.`,
    mixed:
      'Their levels do not share a scale: the page shows them as stored, and figures across all of them mean little.',
    overloaded: (percent: string) =>
      `The sound was overloaded in ${percent} of the windows: true levels are higher.`,
    pointsEnd: (time: string) => `Points before ${time} are gone: only the sums of their minutes are left.`,
    wrong: (names: string) => `Wrong in the address: ${names}. The page uses the default instead.`,
    correct: 'Correct the address',
  },
  report: {
    times: (length: string, zones: string) => `${length}, times in ${zones}.`,
    printed: (time: string) => `Printed ${time}.`,
    notKnown: 'Unknown at the time of printing.',
    again: 'To get these figures again:',
    recorded: 'Recorded',
    from: (time: string) => `From ${time}`,
    unknownHow: 'settings unknown',
    ways: (count: number) => `in ${count} ways, most recently:`,
    windows: (length: string) => `windows of ${length}`,
    unweighted: 'unweighted (Z)',
    weighted: (weighting: string) => `${weighting}-weighted`,
    timeWeightings: { fast: 'fast', slow: 'slow' },
    statistics: {
      leq: 'RMS of each window',
      max: 'maximum of each window',
      sample: 'momentary levels',
    },
    relative: 'relative to full scale',
    reference: (db: string) => `reference ${db} dB`,
    fullScale: (db: string) => `full scale ${db} dB`,
    channel: (name: string) => `channel ${name}`,
    channels: { mean: 'mean of the channels', max: 'loudest channel of each window' },
    instrument: (name: string) => `instrument ${name}`,
    pointsEach: (count: string, spacing: string, measured: string) =>
      `${count}, one every ${spacing}; measured ${measured} of the time`,
    levels: 'Levels',
    absolute: (unit: string, from: string, to: string) =>
      `in ${unit}, sound pressure levels; recordable from ${from} to ${to}`,
    dbfs: 'in dBFS, relative to full scale: not comparable with a limit',
    mixed: (unit: string) => `in ${unit}, on several scales: not comparable`,
    runs: (db: number) =>
      `runs of windows ${db} dB over the background (L90 of the part of the day, or of the week before)`,
    limit: (level: string, start: string, end: string) => `${level} from ${start} to ${end}`,
    judged: (assessed: string, uncertainty: string, measured: string) =>
      `assessed: ${assessed}, ${uncertainty}, not decided if less than ${measured} was measured`,
    position: 'Position',
    height: (m: string) => `${m} m above the ground`,
    facade: (m: string) => `${m} m from the facade`,
    equipment: 'Equipment',
    microphone: (name: string) => `microphone ${name}`,
    soundCard: (name: string) => `sound card ${name}`,
    calibrator: (name: string) => `calibrator ${name}`,
    windscreen: (name: string) => `windscreen ${name}`,
    operator: 'Operator',
    calibrations: 'Calibration',
    calibration: (time: string, level: string, hertz: string, fullScale: string) =>
      `${time}: ${level} dB at ${hertz}, full scale ${fullScale} dB`,
    drift: (db: string) => `, ${db} dB since the previous check`,
    clock: 'Clock',
    clocks: {
      machine: 'of the recording machine',
      start: 'set by hand at the start',
      name: 'from file names',
      file: 'from file contents',
    },
    noneBefore: 'none before this interval',
    noneAfter: 'none after it',
    service: 'Service',
  },
  stations: {
    title: 'Stations',
    all: 'All stations',
    filter: 'Type to filter',
    none: 'There are no stations yet.',
    columns: ['Station', 'Last night', '14 nights', 'Loudest cause', 'Now', 'Last point'],
    noLimit: 'no limit',
    over: (count: number, all: number) => `${count} of ${all} over last night`,
    silent: (count: number, since: string) => `${count} silent ${since}`,
  },
};

export type Texts = typeof en;
