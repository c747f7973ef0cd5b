// A process that shows a station on the broker of its first argument, and prints what the operator sees.
import { openMqtt } from '../../src/notify/mqtt.ts';
import { stationShown } from './stations-shown.ts';

const [, , url = ''] = process.argv;
openMqtt(new URL(url), { say: console.log }, 100).show?.([stationShown('garden')]);
